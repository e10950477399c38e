import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Lanes whose files have processes of their own; those that mostly wait, for queues, delays, a browser, npm, begin. */
const apart = ['package', 'browser', 'e2e', 'sim'];
/** Lanes whose files share a process, each of them in one piece: only then does a process take the next file without beginning anew. */
const together = ['contract', 'infra', 'unit'];

/** The longest files first: a fresh clone knows no durations, and the size of a file says little. Short ones fill what long ones leave. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...apart, ...together].flatMap((lane) => sorted.filter(({ project }) => project.name === lane));
  }
}
