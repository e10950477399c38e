import { expect, test } from 'vitest';
import { pages } from '../../support/docs/pages.ts';

const text = (path: string) => pages.find((page) => page.path === path)?.text ?? '';
const number = (path: string, find: RegExp) => Number(find.exec(text(path))?.[1] ?? Number.NaN);

test('pages tell the same write units of a step, and docs/cost.md has all of them', () => {
  const cost = text('docs/cost.md');
  const table = cost.slice(cost.indexOf('### Write units'), cost.indexOf('## Idle'));
  const told = [...table.matchAll(/^\| .+? \| +([\d.]+) \|/gm)].map(([, units]) => Number(units));
  const alone = number('docs/speed.md', /^\| write units, no listener \/ one +\| ([\d.]+) \//m);
  const followed = number('docs/speed.md', /^\| write units, no listener \/ one +\| [\d.]+ \/ ([\d.]+)/m);
  const ofAMillion = number('docs/aws-limits.md', /all steps: ([\d.]+) \[write units\]/);
  const long = number('docs/cost.md', /^\| write units +\| +([\d.]+)/m);
  expect(told).toEqual([alone, followed, ofAMillion, long]);
  for (const path of ['README.md', 'docs/design.md'])
    expect(Math.abs(number(path, /(?:about|and) (\d+) \[write units\]/) - alone)).toBeLessThan(1);
});

test('the simulation of a million sessions and the limits of AWS tell the same', () => {
  const [steps, units] = [
    /([\d,]+) steps a second, a tenth/,
    /write units a second of the table +\| ([\d,]+)/,
  ]
    .map((find) => find.exec(text('docs/scale.md'))?.[1] ?? '')
    .map((figure) => Number(figure.replaceAll(',', '')));
  const told = number('docs/aws-limits.md', /all steps: ([\d.]+) \[write units\]/);
  expect((units ?? 0) / (steps ?? 1)).toBeCloseTo(told, 1);
});
