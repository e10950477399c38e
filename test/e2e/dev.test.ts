import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../web/client/index.ts';
import { type DevProject, devProject } from '../support/dev-project.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { eventually } from './local-stack.fixture.ts';

let project: DevProject;
beforeAll(() => {
  project = devProject();
  writeFileSync(join(project.folder, '.env'), 'SHOP_TOKEN=from-the-file\n');
});
afterAll(() => project.remove());

const onceSaid = async (...args: string[]) => {
  const run = project.dev(['--once', ...args]);
  const code = await run.ended;
  return { code, said: run.said() };
};

test('one message runs in a project with its own bucket, secret and webhook, and its grants hold', async () => {
  const kept = await onceSaid('Use keep_order with "two chairs".');
  expect(kept.said).toContain('← keep_order kept: two chairs');
  expect(kept.code).toBe(0);
  expect(kept.said).toContain('primary is scripted');

  const denied = await onceSaid('Use open_vault.');
  expect(denied.said).toMatch(/open_vault said: Error \[failed\]: .*not authorized to perform: s3:GetObject/);
  // The place in the project's own file.
  expect(denied.said).toMatch(/ at async read \(agents\/keeper\.ts:\d+/);
});

test('values come from .env and the command line, and no secret is printed', async () => {
  const fromFile = await onceSaid('greet');
  expect(fromFile.said).toContain('version one, EUR, a token of 13 letters');
  const given = await onceSaid('greet', '--set', 'CURRENCY=CHF', '--secret', 'SHOP_TOKEN=sk-1');
  expect(given.said).toContain('version one, CHF, a token of 4 letters');
  expect(given.said).toContain('Without a value: SHOP_WEBHOOK_SECRET.');
  expect(given.said + fromFile.said).not.toMatch(/sk-1|from-the-file/);
  const unknown = await onceSaid('greet', '--set', 'CURENCY=CHF');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.said).toContain('The definition declares no setting CURENCY. Did you mean CURRENCY?');
});

/** The findings of `steploop doctor` about a project and the deployment at this address. */
async function examined(cwd: string, httpUrl: string, token: string): Promise<string[]> {
  const { ANTHROPIC_API_KEY: _key, ...own } = process.env;
  const env = { ...own, STEPLOOP_URL: httpUrl, STEPLOOP_TOKEN: token };
  const command = ['--conditions=@steploop/source', resolve('cli/main.ts'), 'doctor', '--offline', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd, env });
  const found: { state: string; of: string }[] = JSON.parse(stdout);
  return found.map(({ state, of }) => `${state} ${of}`);
}

test('the next step of a run has an edited tool; a broken edit is reported, and the last good code stays', async () => {
  const edited = Promise.withResolvers<void>();
  await using model = await ruleModel(({ turn, lastText }) => {
    if (lastText === 'And?') return sayText('Good.');
    if (turn === 1) return async (...to) => edited.promise.then(() => callTools(['greet', {}])(...to));
    return turn < 3 ? callTools(['greet', {}]) : sayText('Done.');
  });
  const run = project.dev(['--ephemeral'], { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.url });
  try {
    const httpUrl = (await run.says(/HTTP +(\S+)/))[1] ?? '';
    const socketUrl = (await run.says(/WebSocket +(\S+)/))[1] ?? '';
    const token = (await run.says(/Token +(\S+)/))[1] ?? '';
    await run.says(/Webhook +\S+\/hooks\/shop/);
    expect(run.said()).not.toContain('Slack');
    expect(await examined(project.folder, httpUrl, token)).toEqual([
      'ok Node',
      'ok steploop',
      'ok definition',
      'look ANTHROPIC_API_KEY',
      'look SHOP_WEBHOOK_SECRET',
      'ok deployment',
      'ok sessions',
      'ok webhooks',
      'ok webhook shop',
    ]);
    const client = connect({ httpUrl, socketUrl, token });
    const results = async (sessionId: string) =>
      (await client.messages(sessionId)).filter(({ role }) => role === 'tool').map(({ content }) => content);

    const { sessionId } = await client.createSession({ agent: 'keeper', message: 'Greet, and again.' });
    await eventually(() => model.asked.length === 2);

    // The broken edit comes first: the running code stays.
    project.edit('agents/keeper.ts', (text) => text.replace('version one', 'version ${'));
    await run.says(/agents\/keeper\.ts:\d+:\d+: .+\nThe last good version keeps running\./);
    project.edit('agents/keeper.ts', (text) => text.replace('version ${', 'version two'));
    await run.says(/Live in .*step/);
    // The step that called the model finishes with its old code. The next one has the edit.
    edited.resolve();
    await eventually(async () => (await client.session(sessionId)).state === 'completed');
    expect(await results(sessionId)).toEqual([
      expect.stringContaining('version one'),
      expect.stringContaining('version one'),
      expect.stringContaining('version two'),
    ]);

    // Resources whose template changed are recreated at the same address, and no client loses anything.
    project.edit('steploop.config.ts', (text) =>
      text.replace('secrets: {', "secrets: { MORE_TOKEN: { description: 'Of more.' },"),
    );
    await run.says(/The template changes: secrets\./);
    await run.says(/It runs again\.\n[\s\S]*Without a value: .*MORE_TOKEN/);
    await client.addMessage(sessionId, 'And?');
    await eventually(async () => (await client.messages(sessionId)).at(-1)?.content === 'Good.');
    client.close();
  } finally {
    expect(await run.stop()).toBe(0);
  }
}, 240_000);
