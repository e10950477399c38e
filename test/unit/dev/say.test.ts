import { expect, test } from 'vitest';
import { added, spoken } from '../../../cli/dev/say.ts';

const said = (line: string) => spoken(line, (id) => (id === 'AgentsStep1' ? 'step' : id));

test('output and errors of a tool are shown with the name of its function; logs of the loop are not', () => {
  expect(said('[AgentsStep1] hello')).toBe('  [step] hello');
  expect(said('[AgentsStep1] WARN a tool failed code=failed')).toBe(
    '  [step] WARN a tool failed code=failed',
  );
  for (const level of ['INFO', 'DEBUG', 'METRIC'])
    expect(said(`[AgentsStep1] ${level} a step ended`)).toBeUndefined();
});

test('a restart tells the addresses that it has added, and no others', () => {
  const site = (webhooks: string[], more: object = {}) =>
    ({
      addresses: { HttpUrl: 'http://h', SocketUrl: 'ws://s', ...more },
      deployed: { facts: { webhooks, channels: [] } },
    }) as unknown as Parameters<typeof added>[0];
  expect(added(site(['shop']), site(['shop']))).toBe('');
  expect(added(site(['shop']), site(['shop', 'bank'], { AguiUrl: 'http://a' }))).toBe(
    '  AG-UI      http://a\n  Webhook    http://h/hooks/bank',
  );
});

test('external text cannot send control characters to the terminal', () => {
  expect(said('[AgentsStep1] a\u001b[2Jb')).toBe('  [step] a[2Jb');
});
