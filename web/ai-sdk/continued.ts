import type { UIMessageChunk } from 'ai';

/** Time in ms before a stream is opened again: where many watch one session, they take each other's places. */
const AGAIN_MS = 1_000;

/**
 * A stream that goes on where the server had to end it before its run did: `data-steploop-reconnect` says from where.
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
