/** Shapes of several agents, over HTTP on the embedded stack. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** 1,000 take about a minute: `MAP_ITEMS=1000 npx vitest run --project e2e test/e2e/shapes.test.ts`. */
const ITEMS = Number(process.env.MAP_ITEMS ?? 100);
const WIDTH = 20;

let model: RuleModel;
let world: Embedded;
let runners = 0;

beforeAll(async () => {
  model = await ruleModel(({ turn, messages }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    if (said !== 'Race') return sayText(`Found: ${said}.`);
    if (turn > 0) return sayText('Won.');
    runners += 1;
    // The others ask a person, and would wait for a day.
    return runners === 2 ? sayText('Won.') : callTools(['ask_user', { question: 'Which?' }]);
  });
  world = await embedded({ model, tools: () => ({ ok: true }) });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const begin = async (agent: string, message: string): Promise<string> =>
  (await world.api('POST', '/sessions', { agent, message })).body.sessionId;

test('a map gives a list of items to agents, 20 at once, and reports all of them in order', async () => {
  const items = Array.from({ length: ITEMS }, (_, i) => `Item ${i}`);
  const id = await begin('mapper', JSON.stringify(items));
  await world.becomes(id, 'completed', 500);
  const last = (await world.messages(id)).at(-1);
  const report = JSON.parse(String(last && 'content' in last ? last.content : ''));
  expect(report).toMatchObject({ items: ITEMS, answered: ITEMS, failed: 0 });
  expect(report.results).toEqual(items.map((item) => ({ answer: `Found: ${item}.` })));
  // A reply for each wave, and the report. It costs nothing but what its agents cost.
  const { run } = await world.session(id);
  expect(run).toMatchObject({
    steps: ITEMS / WIDTH + 1,
    toolCalls: ITEMS,
    totals: { input: 10 * ITEMS },
    delegated: { input: 10 * ITEMS },
  });
}, 600_000);

test('a race has the first answer, and the other agents are stopped', async () => {
  const id = await begin('racer', 'Race');
  await world.becomes(id, 'completed');
  const { steps } = (await world.api('GET', `/sessions/${id}/steps`)).body;
  const children: string[] = steps[0].calls.map(({ child }: { child: string }) => child);
  const states = await Promise.all(children.map(async (child) => (await world.atRest(child)).state));
  expect(states.toSorted()).toEqual(['cancelled', 'cancelled', 'completed']);
  const { messages } = (await world.api('GET', `/sessions/${id}/messages`)).body;
  expect(JSON.stringify(messages.at(-1))).toContain('Won.');
});
