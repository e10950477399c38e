/**
 * The results of all, as `Promise.all` has them, but only when all have ended, even if one fails: nothing of a step may continue
 * in the background. Rejects with the first failure in the order of the list.
 */
export async function allEnded<Result>(
  work: readonly (Promise<Result> | Result)[],
): Promise<Awaited<Result>[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
