import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Lanes that mostly wait: for queues, delays, a browser, npm. The longest file first. */
const waiting = ['package', 'browser', 'e2e'];
/** Lanes that compute all the time. */
const computing = ['infra', 'sim', 'contract'];

/**
 * Files that wait and files that compute turn by turn, so that neither the cores nor the workers stand idle: a fresh clone knows no durations,
 * and the size of a file says little. The unit lane's hundreds come last, one after the other, which lets a process take the next one
 * without beginning anew, and lets short ones fill what long ones leave.
 */
export class TurnByTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const of = (lanes: readonly string[]) =>
      lanes.flatMap((lane) => sorted.filter(({ project }) => project.name === lane));
    const long = merged(of(waiting), of(computing));
    return [...long, ...sorted.filter((file) => !long.includes(file))];
  }
}

/** Both lists in their order, each spread evenly over the whole. */
function merged<T>(a: readonly T[], b: readonly T[]): T[] {
  const placed = [a, b].flatMap((list) => list.map((one, i) => ({ one, at: (i + 0.5) / list.length })));
  return placed.toSorted((x, y) => x.at - y.at).map(({ one }) => one);
}
