/**
 * The results of all, as `Promise.all` has them, but only when all have ended, even if one fails: nothing of a step may continue
 * in the background. Rejects with the first failure in the order of the list.
 */
export async function allEnded<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [At in keyof Work]: Awaited<Work[At]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
