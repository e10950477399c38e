import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { runCli } from '../support/run-cli.ts';

test('steploop sessions shows, follows, sends, decides, stops and exports, with exit codes for scripts', async () => {
  await using model = await ruleModel(({ n }) =>
    n === 1 ? callTools(['transfer', { n: 7 }]) : sayText('It is done.'),
  );
  await using world = await embedded({ model });
  const sessions = (args: readonly string[], input?: string) => runCli(world, ['sessions', ...args], input);

  const id = await world.start('Send it.');
  const first = await sessions(['tail', id]);
  expect(first).toMatchObject({ code: 3, err: '' });
  expect(first.out).toContain('May it run this?');

  const asked = await sessions(['decide', id]);
  expect(asked.out).toContain('n: 7');
  const [, waitId] = /^(\S+): approval of transfer/m.exec(asked.out) ?? [];
  expect((await sessions(['show', id])).out).toContain(`asks     ${waitId}: approval of transfer`);

  expect(await sessions(['decide', id, 'perhaps'])).toMatchObject({ code: 2, out: '' });
  expect(world.toolStarts).toEqual([]);
  expect(await sessions(['decide', id, 'y'])).toMatchObject({ code: 0, err: '' });
  const second = await sessions(['tail', id]);
  expect(second).toMatchObject({ code: 0, err: '' });
  expect(second.out).toContain('It is done.');
  expect(world.toolStarts).toMatchObject([{ name: 'transfer', input: { n: 7 } }]);

  const steps = await sessions(['show', id, '--steps']);
  expect(steps).toMatchObject({ code: 0, err: '' });
  expect(steps.out).toMatch(/^0 .* transfer \(approved by operator\)/m);

  const told = await sessions(['send', id, '--tail'], 'And now?\n');
  expect(told.code).toBe(0);
  expect(told.out).toContain('> And now?');
  expect(told.out).not.toContain('May it run this?');

  const named = await sessions(['list', '--search', 'send', '--json']);
  expect(
    named.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ sessionId: id, state: 'completed', title: 'Send it.', source: 'http', steps: 1 }]);
  expect((await sessions(['list', '--state', 'error'])).out).toMatch(/^session +state .*\n$/);
  expect(await sessions(['list', '--state', 'broken'])).toMatchObject({ code: 2, out: '' });

  const exported = JSON.parse((await sessions(['export', id])).out);
  expect(exported).toMatchObject({ session: { sessionId: id, state: 'completed' } });
  expect(exported.messages).toEqual(await world.messages(id));
  expect(exported.events).toEqual(await world.frames(id));

  const stopped = await sessions(['stop', id, '--json']);
  expect(JSON.parse(stopped.out)).toMatchObject({ sessionId: id });
  const unknown = await sessions(['show', 'nobody']);
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toContain('No such session');
});
