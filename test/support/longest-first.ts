import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Lanes in the order in which they run: those that mostly wait, for queues, delays, a browser or npm, come first. Each lane comes in
 * one piece, because only then does a process take the next file without starting over.
 */
const lanes = ['package', 'browser', 'e2e', 'attacks', 'sim', 'contract', 'infra', 'unit'];

/**
 * The longest files first. A fresh clone has no recorded durations, and file size says little. Short files fill the
 * gaps of long ones.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project }: TestSpecification) => lanes.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
