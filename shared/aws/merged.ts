/** Several sources of pages as one. */

/**
 * Pages of all sources as they arrive. The sources take turns, `atOnce` of them at once. A source that fails is over;
 * its error is thrown at the end.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[], atOnce: number): AsyncGenerator<T> {
  const waiting = [...sources];
  const failures: unknown[] = [];
  const end: IteratorReturnResult<undefined> = { done: true, value: undefined };
  const ask = async (source: AsyncGenerator<T>) => {
    const failed = (error: unknown) => {
      failures.push(error);
      return end;
    };
    return { source, result: await source.next().catch(failed) };
  };
  const asked = new Map<AsyncGenerator<T>, ReturnType<typeof ask>>();
  try {
    while (waiting.length > 0 || asked.size > 0) {
      for (const source of waiting.splice(0, atOnce - asked.size)) asked.set(source, ask(source));
      const { source, result } = await Promise.race(asked.values());
      asked.delete(source);
      if (result.done) continue;
      waiting.push(source);
      yield result.value;
    }
  } finally {
    // No read outlives the caller.
    await Promise.all(asked.values());
  }
  if (failures.length > 0) throw failures[0];
}
