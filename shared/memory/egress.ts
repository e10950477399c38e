import type { Egress } from '../agent/ports/egress.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { guardedEgress } from '../egress/guarded.ts';

/** Stands in for the internet: gets each request, redirects one by one, as a server would. */
export type Internet = (request: Request) => Response | Promise<Response>;

/** An egress that leads to a function. It is guarded like the real one, except that names are not resolved. */
export const createEgress = (clock: Clock, internet: Internet = nobody): Egress =>
  guardedEgress({
    clock,
    allowLoopback: false,
    async send({ url, method, headers, body, signal }) {
      const answer = await internet(new Request(url, { method, headers, body, signal }));
      return { status: answer.status, headers: answer.headers, body: answer.body };
    },
  });

const nobody: Internet = ({ url }) => {
  throw new Error(`nothing answers for ${new URL(url).origin} here: pass "internet" to say what does`);
};
