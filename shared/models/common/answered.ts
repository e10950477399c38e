import type { Answer } from '../../agent/define/provider.ts';
import { isObject, parse } from './json.ts';

/** A server has refused a request that was made without an SDK. */
export class Answered extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`HTTP ${answer.status}`);
    this.answer = answer;
  }
}

/** The connection failed before there was an answer. */
export class Unreachable extends Error {}

/** The response of a request that has succeeded. Rejects with {@link Answered} or {@link Unreachable}, or the fault of a redirect. */
export async function successOf(sent: Promise<Response>): Promise<Response> {
  const response = await sent.catch((cause: unknown) => {
    // The platform's `fetch` rejects with a TypeError for every failure of the network.
    throw cause instanceof TypeError ? new Unreachable('fetch failed', { cause }) : cause;
  });
  if (response.ok) return response;
  const body = parse(await response.text().catch(() => ''));
  const { status, headers } = response;
  const told: unknown = Array.isArray(body) ? body[0] : body;
  throw new Answered({ status, headers, body: isObject(told) ? told : {} });
}
