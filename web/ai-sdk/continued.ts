import type { UIMessageChunk } from 'ai';

/** Ms before a stream is opened again: viewers of a session with too many of them displace each other. */
const AGAIN_MS = 1_000;

/**
 * A stream that continues after the server had to end it before the run's end: `data-steploop-reconnect` holds the
 * position.
 *
 * @param goOn opens the rest
 * @param onEnd is called once, when nothing follows
 */
export function continued(
  first: ReadableStream<UIMessageChunk>,
  goOn: (from: unknown) => Promise<ReadableStream<UIMessageChunk>>,
  onEnd: () => void,
): ReadableStream<UIMessageChunk> {
  let reader = first.getReader();
  let from: unknown;
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (!done && value.type === 'data-steploop-reconnect') from = (value as { data: unknown }).data;
          else if (!done) return controller.enqueue(value);
          else if (from === undefined) {
            onEnd();
            return controller.close();
          } else {
            await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
            reader = (await goOn(from)).getReader();
            from = undefined;
          }
        }
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}
