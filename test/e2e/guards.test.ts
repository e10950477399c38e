import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { presets } from '../../shared/agent/config/presets.ts';
import { ReplayBody } from '../../shared/contract/answers.ts';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

test('steploop guards --replay says what each preset would have said to a stored session, and when', async () => {
  await using model = await ruleModel(({ n }) =>
    n <= 4 ? callTools(['read', { path: 'a' }]) : sayText('It is 42.'),
  );
  await using world = await embedded({ model });
  const guards = async (...args: string[]) => {
    const child = spawn(process.execPath, ['--conditions=@steploop/source', main, 'guards', ...args], {
      env: { ...process.env, STEPLOOP_URL: world.stack.outputs.HttpUrl, STEPLOOP_TOKEN: world.token },
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const code = child.exitCode ?? (await new Promise<number>((resolve) => child.once('close', resolve)));
    return { out, err, code };
  };

  const id = await world.start('Read it.');
  await world.atRest(id);

  const all = await guards('--replay', id, '--json');
  expect(all).toMatchObject({ code: 0, err: '' });
  const replay = ReplayBody.parse(JSON.parse(all.out));
  expect(replay.presets.map(({ preset }) => preset)).toEqual(Object.keys(presets));
  expect(replay.presets.find(({ preset }) => preset === 'aar')?.ends).toMatchObject([
    { step: 4, reason: 'loop_halt' },
  ]);

  const one = await guards('--replay', id, '--preset', 'aar');
  expect(one).toMatchObject({ code: 0, err: '' });
  expect(one.out).toContain('aar  ends after step 4: loop_halt');
  expect(one.out).not.toContain('hamr');

  expect(await guards()).toMatchObject({ code: 2, out: '' });
  expect((await guards('--help')).out).toContain('steploop guards --replay SESSION');
  const unknown = await guards('--replay', id, '--preset', 'hammer');
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toContain('Did you mean hamr?');
});
