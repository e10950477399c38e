import { expect, test } from 'vitest';
import { spoken } from '../../../cli/dev/say.ts';

const said = (line: string) => spoken(line, (id) => (id === 'AgentsStep1' ? 'step' : id));

test('output and errors of a tool are shown with the name of its function; logs of the loop are not', () => {
  expect(said('[AgentsStep1] hello')).toBe('  [step] hello');
  expect(said('[AgentsStep1] WARN a tool failed code=failed')).toBe(
    '  [step] WARN a tool failed code=failed',
  );
  for (const level of ['INFO', 'DEBUG', 'METRIC'])
    expect(said(`[AgentsStep1] ${level} a step ended`)).toBeUndefined();
});

test('external text cannot send control characters to the terminal', () => {
  expect(said('[AgentsStep1] a\u001b[2Jb')).toBe('  [step] a[2Jb');
});
