/** One stack to attack, with what an attacker has: a web client, tokens of any claims, and the log to look into. */

import { request } from 'node:http';
import { env } from '../../shared/contract/env.ts';
import { type Answer, type Embedded, type EmbeddedOptions, embedded } from '../support/embedded.ts';
import { apiError } from '../support/model-server.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { type AskedModel, callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { mayHaveChanged } from '../support/step-lines.ts';

/** A request as one caller makes it. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** An answer as it is on the wire. */
export interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Target extends AsyncDisposable {
  readonly world: Embedded;
  readonly idp: OidcIssuer;
  readonly model: RuleModel;
  /** Lines of all functions' logs. */
  readonly logged: readonly string[];
  as(credential: string): Call;
  user(sub: string, ...roles: string[]): Promise<Call>;
  /** Begins a session of `worker` and waits until it rests. A word of it says which call its model makes. */
  rested(call: Call, message: string, more?: object): Promise<{ id: string; session: Answer['body'] }>;
}

/** The call that the model makes, by a word of the first message. */
const calls: ReadonlyMap<string, [name: string, input: object]> = new Map([
  ['export', ['export', { n: 1 }]],
  ['transfer', ['transfer', { n: 7 }]],
  ['ask', ['ask_user', { question: 'Which one?' }]],
  [
    'fill',
    [
      'ask_form',
      {
        question: 'Which one?',
        fields: [
          { name: 'size', kind: 'choice', options: ['S', 'M'] },
          { name: 'count', kind: 'integer', at_most: 9 },
        ],
      },
    ],
  ],
  ['pay', ['pay', { n: 1 }]],
  ['break', ['break', { how: 'throw' }]],
  ['paint', ['paint', {}]],
  ['consult', ['teller', { task: 'ask x' }]],
]);

/** The model of the lane. */
export const rule = ({ turn, messages }: AskedModel) => {
  const said = String(messages[0]?.content[0]?.text ?? '');
  const [, first = '', rest = ''] =
    /(?:^|[\s:>])(export|transfer|ask|pay|break|fail|delegate|consult|paint|fill)\b ?(.*)/.exec(said) ?? [];
  if (first === 'fail') return apiError(400, 'invalid_request_error', rest);
  const call = first === 'delegate' ? (['helper', { task: rest }] as const) : calls.get(first);
  return call && turn === 0 ? callTools([call[0], call[1]]) : sayText('Done.');
};

export async function target(
  options: Pick<EmbeddedOptions, 'assembly' | 'onInvocation'> = {},
): Promise<Target> {
  const logged: string[] = [];
  const idp = await startOidcIssuer();
  const model = await ruleModel(rule);
  const world = await embedded({
    model,
    log: (line) => void logged.push(line),
    tools: ({ name }) => ({ ok: true, name }),
    variables: {
      ...{ [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience },
      // Thousands of attempts come from one tenant in a few seconds. The limit has tests of its own.
      [env.REQUESTS_PER_SECOND]: '10000',
    },
    ...options,
  });
  const as =
    (credential: string): Call =>
    (method, path, body) =>
      world.api(method, path, body, { authorization: `Bearer ${credential}` });
  return {
    ...{ world, idp, model, logged, as },
    user: async (sub, ...roles) => as(await idp.token({ sub, roles })),
    async rested(call, message, more = {}) {
      const { body } = await call('POST', '/sessions', { agent: 'worker', message, ...more });
      return { id: body.sessionId, session: await atRest(call, body.sessionId) };
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    },
  };
}

/** The session, when it rests. */
export async function atRest(call: Call, id: string): Promise<Answer['body']> {
  for (;;) {
    const { body } = await call('GET', `/sessions/${id}`);
    if (body.state !== 'running' && body.state !== 'idle') return body;
    await mayHaveChanged(id);
  }
}

/** Sends exactly this path and these headers: `fetch` would clean the one and refuse some of the others. */
export function raw(
  base: string | undefined,
  method: string,
  path: string,
  { headers = {}, body = '' }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Raw> {
  const { hostname, port } = new URL(base ?? '');
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request({ hostname, port, method, path, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
