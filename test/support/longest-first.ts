import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Lanes in the order in which they are run. Those whose files have processes of their own begin; most of them wait, for queues, delays, a
 * browser, npm. Those whose files share a process come in one piece each: only then does a process take the next file without beginning anew.
 */
const lanes = ['package', 'browser', 'e2e', 'sim', 'contract', 'infra', 'unit'];

/** The longest files first: a fresh clone knows no durations, and the size of a file says little. Short ones fill what long ones leave. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project }: TestSpecification) => lanes.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
