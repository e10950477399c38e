/** One tenant's flood, from a thread of its own, as it would come from another machine. */

import { Worker } from 'node:worker_threads';

/** A request, again and again. `n` in the path, the body or a header becomes a new number each time. */
export interface FloodOf {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each answer is a ticket, which opens a WebSocket here. */
  readonly socketUrl?: string;
  /** Requests that are under way at all times. */
  readonly atOnce: number;
}

/** How many requests were answered with each status, connections under `open` and `refused`. */
export type Flooded = Readonly<Record<string, number>>;

/** Floods until `stop`. */
export function startFlood(of: FloodOf): { stop(): Promise<Flooded> } {
  const worker = new Worker(SOURCE, { eval: true, workerData: of });
  return {
    async stop() {
      const told = new Promise<Flooded>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
      });
      worker.postMessage('stop');
      const counts = await told;
      await worker.terminate();
      return counts;
    },
  };
}

const SOURCE = `
const { parentPort, workerData: of } = require('node:worker_threads');
const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);
let on = true;
parentPort.once('message', () => {
  on = false;
  parentPort.postMessage(counts);
});
const open = (ticket) =>
  new Promise((resolve) => {
    const socket = new WebSocket(of.socketUrl + '?ticket=' + ticket);
    socket.onopen = () => (count('open'), socket.close(), resolve());
    socket.onerror = () => (count('refused'), resolve());
  });
async function ask() {
  const answer = await fetch(of.url, { method: of.method, headers: of.headers, body: of.body });
  const text = await answer.text();
  count(String(answer.status));
  if (answer.ok && of.socketUrl) await open(JSON.parse(text).ticket);
}
async function loop() {
  while (on) await ask().catch(() => count('failed'));
}
for (let i = 0; i < of.atOnce; i++) void loop();
`;
