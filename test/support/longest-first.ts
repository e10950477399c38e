import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Lanes by how long their files take, the longest first. */
const lanes = ['package', 'e2e', 'infra', 'sim', 'contract', 'browser', 'unit'];

const rankOf = ({ project }: TestSpecification): number => lanes.indexOf(project.name);

/**
 * Long files first, so that the short ones fill what they leave: a fresh clone knows no durations, and the size of a file says little. The unit
 * lane's come one after the other, which lets a process take the next one without beginning anew.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
