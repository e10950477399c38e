import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type BlockScript,
  blockEvents,
  messageDelta,
  messageStart,
  messageStop,
  text,
  toolUse,
} from './model-events.ts';
import { apiError, reply } from './model-server.ts';

/**
 * A model server with a window. It refuses requests that are longer, as Anthropic's does, and reports the tokens that a
 * request used, at four characters a token. Each reply says a line and calls `leaf`, until the work is done. It parses
 * no request, so a long one costs it little more than a short one.
 */
export interface NarrowModel extends AsyncDisposable {
  readonly url: string;
  /** A URL that answers a body of any length with an empty response, to measure the cost of sending alone. */
  readonly nothing: string;
  /**
   * Begins the work of one session.
   * @param steps replies up to the last one, which calls nothing; summaries are not counted
   * @param keep steps, from 1, whose requests are kept
   */
  begin(steps: number, keep?: readonly number[]): Work;
}

/** The requests for one session. */
export interface Work {
  /** Requests of steps, in order. */
  readonly asked: readonly Asked[];
  /** Requests for a summary of what leaves the context. */
  readonly summaries: readonly Asked[];
  /** Requests that were refused as too long. */
  readonly refused: readonly Asked[];
  /** Bodies, by their steps. */
  readonly kept: ReadonlyMap<number, string>;
}

export interface Asked {
  /** The time at which all of it had arrived, by `performance.now()`. */
  readonly at: number;
  /** CPU time of this process up to then, in ms. */
  readonly cpu: number;
  /** Characters of its body. */
  readonly chars: number;
}

/** @param window maximum tokens of a request */
export async function narrowModel(window: number): Promise<NarrowModel> {
  let work = newWork(0, []);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const at = performance.now();
    const { user, system } = process.cpuUsage();
    const body = Buffer.concat(chunks).toString();
    const left = new AbortController().signal;
    if (request.url === NOTHING) return reply([messageStop])(response, left);
    const asked = { at, cpu: (user + system) / 1_000, chars: body.length };
    const tokens = Math.ceil(body.length / 4);
    if (tokens > window) {
      work.refused.push(asked);
      const message = `prompt is too long: ${tokens} tokens > ${window} maximum`;
      return apiError(400, 'invalid_request_error', message)(response, left);
    }
    // Recognized by the words of texts.sumUp, with which such a request ends.
    if (body.slice(-4_000).includes('is about to leave your context')) {
      work.summaries.push(asked);
      return reply(said(tokens, [text(SUMMARY)], 'end_turn'))(response, left);
    }
    const n = work.asked.push(asked);
    if (work.keep.includes(n)) work.kept.set(n, body);
    const line = text(`${'Looking on, page by page. '.repeat(7)}Step ${n}.`);
    const look = toolUse(`toolu_${n}`, 'leaf', JSON.stringify({ n }));
    const events = n < work.steps ? said(tokens, [line, look], 'tool_use') : said(tokens, [line], 'end_turn');
    return reply(events)(response, left);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    nothing: `${url}${NOTHING}`,
    begin(steps, keep = []) {
      work = newWork(steps, keep);
      return work;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const NOTHING = '/nothing';

const newWork = (steps: number, keep: readonly number[]) => ({
  ...{ steps, keep, kept: new Map<number, string>() },
  ...{ asked: [] as Asked[], summaries: [] as Asked[], refused: [] as Asked[] },
});

/** The events of a reply to a request of `tokens` tokens. */
const said = (tokens: number, blocks: readonly BlockScript[], stop: string) => [
  messageStart({ input_tokens: tokens, output_tokens: 1 }),
  ...blocks.flatMap(blockEvents),
  messageDelta(stop, { output_tokens: 60 }),
  messageStop,
];

const SUMMARY = `Task: look at the pages, one after the other.
Open questions: none.
Files touched: none.
Errors not mended: none.
Decisions: to go on in order.
Facts: each page is of one letter.
Next: the next page.`;
