import { expect, test } from 'vitest';
import { presets } from '../../shared/agent/config/presets.ts';
import { ReplayBody } from '../../shared/contract/answers.ts';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { runCli } from '../support/run-cli.ts';

test('steploop guards --replay says what each preset would have said to a stored session, and when', async () => {
  await using model = await ruleModel(({ n }) =>
    n <= 4 ? callTools(['read', { path: 'a' }]) : sayText('It is 42.'),
  );
  await using world = await embedded({ model });
  const guards = (...args: string[]) => runCli(world, ['guards', ...args]);

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
