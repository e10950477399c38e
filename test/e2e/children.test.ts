/** Agents that ask other agents, over HTTP on the embedded stack. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let hangs = false;

beforeAll(async () => {
  model = await ruleModel(({ turn, messages, body }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    const last = JSON.stringify(messages.at(-1)?.content);
    if (last.includes('[steploop] Wrap up'))
      return sayText(
        JSON.stringify({ findings: [JSON.stringify(body.system).includes('You help.') ? 'a part' : 'both'] }),
      );
    const helps = JSON.stringify(body.system).includes('You help.');
    if (helps && said.startsWith('Pay'))
      return turn === 0 ? callTools(['transfer', { n: 1 }]) : sayText(`Found: ${said}.`);
    if (helps && said.startsWith('Endless')) return callTools(['look', { n: turn }]);
    if (helps) return turn === 0 ? callTools(['look', { n: 1 }]) : sayText(`Found: ${said}.`);
    return turn === 0
      ? callTools(['helper', { task: `${said} 1` }], ['helper', { task: `${said} 2` }])
      : sayText('Both have answered.');
  });
  world = await embedded({
    model,
    tools: () => (hangs ? new Promise(() => undefined) : { ok: true }),
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const begin = async (message: string): Promise<string> =>
  (await world.api('POST', '/sessions', { agent: 'leader', message })).body.sessionId;

const becomes = (id: string, state: string) => world.becomes(id, state);

test('two agents work for a third one, each in its own session, and their answers are its results', async () => {
  const id = await begin('Part');
  await becomes(id, 'completed');
  const { steps } = (await world.api('GET', `/sessions/${id}/steps`)).body;
  const children: string[] = steps[0].calls.map(({ child }: { child: string }) => child);
  expect(new Set(children).size).toBe(2);
  const sessions = await Promise.all(children.map((child) => world.session(child)));
  expect(sessions).toMatchObject([
    { agent: 'helper', state: 'completed', parent: { sessionId: id } },
    { agent: 'helper', state: 'completed', parent: { sessionId: id } },
  ]);
  const asked = JSON.stringify(model.asked.at(-1)?.messages.at(-1)?.content);
  expect(asked).toContain('Found: Part 1.');
  expect(asked).toContain('Found: Part 2.');
});

test('a stopped run stops the agents that work for it', async () => {
  hangs = true;
  const id = await begin('Long');
  await expect
    .poll(() => world.session(id), { timeout: 60_000, interval: 50 })
    .toMatchObject({ reason: 'awaiting_child', waits: [{ kind: 'child' }, { kind: 'child' }] });
  const { waits } = await world.session(id);
  const children = (waits as { child: string }[]).map(({ child }) => child);
  await world.api('POST', `/sessions/${id}/cancel`);
  await becomes(id, 'cancelled');
  for (const child of children) await becomes(child, 'cancelled');
}, 120_000);

test('a run that is asked to wrap up reads the summaries of the agents that work for it, and gives its own', async () => {
  hangs = false;
  const id = await begin('Endless');
  await expect
    .poll(() => world.session(id), { timeout: 60_000, interval: 50 })
    .toMatchObject({ reason: 'awaiting_child', waits: [{ kind: 'child' }, { kind: 'child' }] });
  const { waits } = await world.session(id);
  await world.api('POST', `/sessions/${id}/wrap-up`);
  await becomes(id, 'completed');
  for (const { child } of waits as { child: string }[]) await becomes(child, 'completed');
  expect(JSON.stringify(await world.frames(id))).toContain('"summary":{"findings":["both"]');
  const read = JSON.stringify(model.asked.at(-1)?.messages);
  expect(read.match(/work may be left. Its summary:\\n\\nFindings:\\n- a part/g)).toHaveLength(2);
}, 120_000);

test('an approval of another agent is asked over AG-UI where its work was asked for, and decided there', async () => {
  hangs = false;
  const threadId = 'delegating';
  const asked = { ...{ threadId, runId: 'one', tools: [], context: [] }, state: {}, forwardedProps: {} };
  const messages = [{ id: 'm1', role: 'user', content: 'Pay' }];
  const shown = async (body: object): Promise<{ type: string; outcome?: { interrupts?: object[] } }[]> => {
    const { body: text } = await world.api('POST', '/agui/leader', { ...asked, messages: [], ...body });
    return [...String(text).matchAll(/^data: (.*)$/gm)].map(([, event]) => JSON.parse(event ?? ''));
  };
  const first = await shown({ messages });
  const requests = (events: typeof first) =>
    (events.at(-1)?.outcome?.interrupts ?? []).flatMap((one) =>
      'reason' in one && one.reason === 'approval' && 'id' in one ? [String(one.id)] : [],
    );
  const open = requests(first);
  expect(open.length).toBeGreaterThan(0);
  let last = first;
  for (let n = 0; n < 4 && requests(last).length > 0; n++)
    last = await shown({
      runId: `answer-${n}`,
      resume: requests(last).map((interruptId) => ({ interruptId, status: 'resolved' })),
    });
  expect(last.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  expect(JSON.stringify(last)).toContain('Both have answered.');
  for (const events of [first, last]) {
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(1);
  }
  expect(world.toolStarts.filter(({ name }) => name === 'transfer')).toHaveLength(2);
}, 120_000);
