/**
 * The coding agent of the samples with its output contract and in plan mode, over every door. It proposes three
 * changes, and a person approves two of them. A worker is killed between the two, and the third is not made. The system
 * runs the tests, and the answer is the object that the agent declares.
 */

import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatedSlack } from '../../local/slack/emulated/emulated-slack.ts';
import { startSlack } from '../../local/slack/emulated/start.ts';
import { env } from '../../shared/contract/env.ts';
import type { WaitInfo } from '../../shared/contract/http.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { placeKeyOf } from '../../shared/slack/place.ts';
import { type CoderStack, coderStack } from '../support/coder-stack.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { until } from '../support/slack-workspace.ts';

const wrong = 'export const add = (a: number, b: number): number => a - b;';
const right = wrong.replace('a - b', 'a + b');
const check = `import assert from 'node:assert/strict';
import { test } from 'node:test';
`;
const repository = zipSync({
  'package.json': strToU8('{ "type": "module", "scripts": { "test": "node --test" } }'),
  'src/add.ts': strToU8(`${wrong}\n`),
  'test/add.test.ts': strToU8(
    `${check}import { add } from '../src/add.ts';\ntest('adds', () => assert.equal(add(1, 2), 3));\n`,
  ),
});
/** The file that a person shares in Slack, with everything in it. */
const shared = `${check}${wrong}\ntest('adds', () => assert.equal(add(1, 2), 3));\n`;
const answer = { cause: 'add() subtracted.', change: 'It adds.', patch: 'changes.patch' };

let model: RuleModel;
let slack: EmulatedSlack;
let world: CoderStack;
/** Called with every service call of the functions. */
let onCall: (operation: string) => void = () => undefined;

beforeAll(async () => {
  model = await ruleModel(({ turn, messages }) => {
    const path = /\/slack\/\w+\/add\.test\.ts/.exec(JSON.stringify(messages))?.[0] ?? 'src/add.ts';
    if (turn === 0) return callTools(['bash', { command: 'node --test' }], ['read_file', { path }]);
    if (turn > 1) return sayText(JSON.stringify(answer));
    return callTools(
      ['edit_file', { path, old_string: 'a - b', new_string: 'a + b' }],
      ['write_file', { path: 'changes.patch', content: `-${wrong}\n+${right}\n` }],
      ['write_file', { path: 'NOTES.md', content: 'Notes without a request.' }],
    );
  });
  slack = await startSlack();
  world = await coderStack('test/support/careful/steploop.config.ts', model.url, {
    wire: { before: ({ service, operation }) => onCall(`${service} ${operation}`) },
    variables: {
      [env.SLACK_API_URL]: slack.apiUrl,
      [env.SLACK_CLIENT_ID]: slack.clientId,
      [env.STEP_LEASE_SECONDS]: '3',
    },
  });
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await slack?.stop();
  await model?.[Symbol.asyncDispose]();
});

/** Begins a session in plan mode over the API, with the repository unpacked, and waits until its plan is shown. */
async function planned(): Promise<{ id: string; wait: WaitInfo }> {
  const file = { name: 'sums.zip', mediaType: 'application/zip', bytes: repository.length };
  const { id: upload, url, headers } = await world.api('/uploads', file);
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(repository) })).status).toBe(200);
  const message = [
    { type: 'file', upload, unpack: true },
    { type: 'text', text: 'The tests fail. Mend it.' },
  ];
  const { sessionId: id } = await world.api('/sessions', { agent: 'coder', mode: 'plan', message });
  return { id, wait: await asked(id) };
}

/** The plan for which a session waits for a decision. */
async function asked(id: string): Promise<WaitInfo> {
  const session = await until(
    () => world.api(`/sessions/${id}`),
    ({ state }) => state !== 'running' && state !== 'idle',
  );
  expect(session).toMatchObject({ state: 'waiting_for_input', waits: [{ kind: 'plan' }] });
  expect(session.waits[0].message).toContain(`+${right}`);
  expect((await world.api(`/sessions/${id}/files`)).files).not.toContainEqual(
    expect.objectContaining({ path: 'changes.patch' }),
  );
  return session.waits[0];
}

/**
 * Kills the step's worker while it saves the result of the second approved change. The returned function gives the
 * number of workers killed.
 */
function killBetween(): () => number {
  let killed = 0;
  let kept = 0;
  onCall = (operation) => {
    if (operation === 's3 PutObject' && ++kept === 2) killed = world.stack.kill('AgentsStepsStep');
  };
  return () => killed;
}

/** Checks the result of a session, however it was decided. */
async function mended(id: string, path: string): Promise<void> {
  const session = await until(
    () => world.api(`/sessions/${id}`),
    ({ state }) => state === 'completed' || state === 'error',
  );
  expect(session).toMatchObject({ state: 'completed', lastEnding: { object: answer } });
  const { files } = await world.api(`/sessions/${id}/files`);
  const paths = files.map((file: { path: string }) => file.path);
  expect(paths).toContain('changes.patch');
  expect(paths).not.toContain('NOTES.md');
  const { files: made } = await world.api(`/sessions/${id}/files?path=${path}`);
  expect(await (await fetch(made[0].url)).text()).toContain(right);
  const { messages } = await world.api(`/sessions/${id}/messages`);
  const checks = messages.filter(({ made }: { made?: string }) => made === 'check');
  expect(checks.length).toBeGreaterThan(0);
}

test('over HTTP', async () => {
  const { id, wait } = await planned();
  const killed = killBetween();
  await world.api(`/sessions/${id}/decisions`, { id: wait.id, approved: [1, 2] });
  await mended(id, 'src/add.ts');
  expect(killed()).toBe(1);
}, 240_000);

test('over AG-UI', async () => {
  const { id, wait } = await planned();
  const killed = killBetween();
  const resume = [{ interruptId: wait.id, status: 'resolved', payload: { approved: [1, 2] } }];
  const stream = await world.text('/agui/coder', { threadId: id, runId: 'decided', messages: [], resume });
  const events = stream.split('\n\n').flatMap((part) => {
    const data = /^data: (.*)$/m.exec(part)?.[1];
    return data ? [JSON.parse(data)] : [];
  });
  expect(events).toContainEqual(
    expect.objectContaining({
      name: 'steploop.decided',
      value: expect.objectContaining({ changes: [1, 2] }),
    }),
  );
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { object: answer } });
  await mended(id, 'src/add.ts');
  expect(killed()).toBe(1);
}, 240_000);

test('in Slack', async () => {
  await world.putSecret(world.outputOf('SlackSigningSecretArn'), slack.signingSecret);
  await world.putSecret(world.outputOf('SlackClientSecretArn'), slack.clientSecret);
  const appUrl = world.outputOf('HttpUrl');
  slack.connect(appUrl);
  const { ticket } = await world.api('/tickets', {});
  expect(await slack.consent(`${appUrl}/slack/install?ticket=${ticket}`, 'ada')).toMatchObject({
    status: 200,
  });

  const { ts } = await slack.share('ada', `<@${slack.botUser}> the test fails, mend it`, {
    name: 'add.test.ts',
    content: shared,
  });
  const shown = await until(
    () => slack.read(slack.channel, ts),
    (thread) => thread.some(({ blocks }) => JSON.stringify(blocks ?? []).includes('approve_chosen')),
  );
  const plan = shown.find(({ blocks }) => JSON.stringify(blocks ?? []).includes('approve_chosen'));
  if (!plan) throw new Error('no question was asked');
  expect(JSON.stringify(plan.blocks)).toContain('3. write_file: NOTES.md');
  const killed = killBetween();
  expect(await slack.click('ada', plan, slack.channel, 'steploop.approve_chosen', ['1', '2'])).toBe(200);
  const done = await until(
    () => slack.read(slack.channel, ts),
    (thread) => thread.some(({ text }) => text.startsWith(':white_check_mark:') && text.includes('step')),
  );
  const said = done.map(({ text }) => text).join('\n');
  expect(said).toContain('Approved in part (1, 2)');
  expect(said).toContain('add() subtracted.');
  expect(killed()).toBe(1);
  const place = { team: slack.team, channel: slack.channel, thread: ts };
  const id = await sessionIdFor('slack', placeKeyOf(place));
  const { files } = await world.api(`/sessions/${id}/files`);
  await mended(id, files.find(({ path }: { path: string }) => path.endsWith('add.test.ts'))?.path);
}, 240_000);
