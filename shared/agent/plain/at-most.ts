/**
 * Starts the jobs in order, at most `most` of them at a time; 0 = no limit. The promises are in the order of the jobs. A job
 * that rejects does not stop the others.
 */
export function atMost<T>(most: number, jobs: readonly (() => Promise<T>)[]): Promise<T>[] {
  let running = 0;
  const waiting: (() => void)[] = [];
  return jobs.map(async (job) => {
    if (most > 0 && running >= most) await new Promise<void>((start) => waiting.push(start));
    else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  });
}
