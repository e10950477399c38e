import type { Frame } from '../../contract/events.ts';
import { byteLength } from '../plain/utf8.ts';
import { fitFrame } from './fit-frame.ts';

/** A WebSocket frame of API Gateway is 32 KB; a push is kept below that, except for a single large event. */
const PUSH_BYTES = 30_000;

/** The bodies to post: `{ sessionId, frames }`, each as many frames as fit. A frame that would fit no message is cut (`fit-frame.ts`). */
export function packFrames(sessionId: string, frames: readonly Frame[]): string[] {
  const bodies: string[] = [];
  let pack: string[] = [];
  let size = 0;
  const flush = () => {
    if (pack.length > 0)
      bodies.push(`{"sessionId":${JSON.stringify(sessionId)},"frames":[${pack.join(',')}]}`);
    pack = [];
    size = 0;
  };
  for (const frame of frames) {
    const text = fitFrame(frame);
    const bytes = byteLength(text);
    if (size + bytes > PUSH_BYTES) flush();
    pack.push(text);
    size += bytes;
  }
  flush();
  return bodies;
}
