import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  blockEvents,
  messageDelta,
  messageStart,
  messageStop,
  text,
  toolUse,
} from '../../test/support/model-events.ts';
import { sse } from '../../test/support/model-server.ts';

/**
 * A model server for benchmarks: each reply is a text and a call of `leaf`, until a run has made its steps. It parses no request.
 * A message of the user names its run as `RUN<id>`; the last one counts.
 */
export interface BenchModel extends AsyncDisposable {
  readonly url: string;
  begin(id: string, plan: Plan): Work;
}

/** How a run's model works. */
export interface Plan {
  /** Number of replies. The last one calls no tool. */
  readonly steps: number;
  /** The pieces of a reply. */
  readonly pieces: (step: number) => readonly string[];
  /** How long a reply takes, in ms: its pieces come evenly. 0 = all of it comes at once. */
  readonly speaksMs: number;
  /** Called when a request has arrived. */
  readonly onStep?: () => void;
  /** No reply ends before this; until then a word comes every 2 s, so that the silence does not count as a failure. */
  readonly until?: Promise<void>;
}

interface Run {
  readonly plan: Plan;
  readonly asked: number[];
  readonly bytes: number[];
  readonly end: () => void;
}

export interface Work {
  /** When each request arrived, in ms of `performance.now()`. */
  readonly asked: readonly number[];
  /** Bytes of each request. */
  readonly bytes: readonly number[];
  /** Resolves when the last reply is on its way. */
  readonly over: Promise<void>;
}

/** @param usual the plan of runs that nothing has begun; without it their requests are refused */
export async function benchModel(usual?: Plan): Promise<BenchModel> {
  const runs = new Map<string, Run>();
  let replies = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const at = body.lastIndexOf('RUN<');
    const id = body.toString('latin1', at + 4, body.indexOf('>', at));
    const run = runs.get(id) ?? (usual && { plan: usual, asked: [], bytes: [], end() {} });
    if (at < 0 || !run) return void response.writeHead(400).end();
    runs.set(id, run);
    const { plan, asked, bytes, end } = run;
    const step = asked.push(performance.now());
    bytes.push(body.length);
    plan.onStep?.();
    const last = step >= plan.steps;
    const pieces = plan.pieces(step);
    const call = last ? [] : [toolUse(`toolu_${++replies}`, 'leaf', JSON.stringify({ n: step }))];
    const events = [
      messageStart({ input_tokens: Math.ceil(body.length / 4), output_tokens: 1 }),
      ...[text(...pieces), ...call].flatMap(blockEvents),
      messageDelta(last ? 'end_turn' : 'tool_use', { output_tokens: pieces.length }),
      messageStop,
    ].map(sse);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (plan.until) {
      // The message and its text have begun by then.
      response.write(events.splice(0, 2).join(''));
      await saying(plan.until, () => response.write(sse(word)));
    }
    if (plan.speaksMs === 0) response.end(events.join(''));
    else {
      const start = performance.now();
      for (const [i, event] of events.entries()) {
        // Computed from the clock, so that timers which fire late make no reply longer.
        const wait = start + (plan.speaksMs * i) / events.length - performance.now();
        if (wait > 1) await pause(wait);
        response.write(event);
      }
      response.end();
    }
    if (last) end();
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin(id, plan) {
      const asked: number[] = [];
      const bytes: number[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      runs.set(id, { plan, asked, bytes, end: resolve });
      return { asked, bytes, over: promise };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const word = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '. ' } };

/** Sends a word at once and every 2 s, until then. */
async function saying(until: Promise<void>, say: () => void): Promise<void> {
  const over = until.then(() => true);
  do say();
  while (!(await Promise.race([over, pause(2_000).then(() => false)])));
}
