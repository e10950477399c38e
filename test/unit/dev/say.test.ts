import { expect, test } from 'vitest';
import { spoken } from '../../../cli/dev/say.ts';

const said = (line: string) => spoken(line, (id) => (id === 'AgentsStep1' ? 'step' : id));

test('what a tool prints and what went wrong is shown by the name of its function; what the loop tells of itself is not', () => {
  expect(said('[AgentsStep1] hello')).toBe('  [step] hello');
  expect(said('[AgentsStep1] WARN a tool failed code=failed')).toBe(
    '  [step] WARN a tool failed code=failed',
  );
  for (const level of ['INFO', 'DEBUG', 'METRIC'])
    expect(said(`[AgentsStep1] ${level} a step ended`)).toBeUndefined();
});

test('text of others does not steer the terminal', () => {
  expect(said('[AgentsStep1] a\u001b[2Jb')).toBe('  [step] a[2Jb');
});
