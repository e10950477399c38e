import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { billOf, sumOf } from '../../bench/cost/bill.ts';
import config from '../../site/.vitepress/config.ts';
import { deadLinksIn } from '../../site/.vitepress/dead-links.ts';
import { addressOf } from '../../site/.vitepress/outside-links.ts';
import { measuredIn } from '../../site/calculator/measured.ts';
import { referencePlan, usedBy } from '../../site/calculator/usage.ts';
import { pages } from '../support/docs/pages.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const measured = measuredIn(read('docs/cost.md'), read('docs/speed.md'));
/** USD for a million steps with one listener, as docs/cost.md has them: on Lambda, and on managed instances. */
const [onLambda = 0, , managed = 0] = (/\*\*together\*\* +\|(.+)\|/.exec(read('docs/cost.md'))?.[1] ?? '')
  .split('|')
  .map(Number);

describe('npm run docs:site', () => {
  // VitePress is installed at the first run.
  beforeAll(() => promisify(execFile)('npm', ['run', 'docs:site']), 600_000);

  test('makes a page of each page, and every link of the site holds', () => {
    const made = pages
      .filter(({ path }) => path.startsWith('docs/'))
      .map(({ path }) => path.slice('docs/'.length).replace(/README\.md$/, 'index.md'));
    expect(made.length).toBeGreaterThan(100);
    for (const page of made) expect(read(`dist-site/${page.replace(/\.md$/, '.html')}`)).toContain('<h1');
    expect(deadLinksIn('dist-site')).toEqual([]);
  });

  test('shows the sum of the reference run in the calculator before anything is typed', () => {
    const sum = /data-sum="aws"[^>]*>\$([\d.]+)</.exec(read('dist-site/calculator.html'))?.[1];
    expect(Math.abs(Number(sum) - onLambda)).toBeLessThan(0.5);
  });
});

test('dead links fail the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-site-'));
  try {
    writeFileSync(join(folder, 'index.html'), '<h1 id="a">A</h1><a href="/b.html#c">C</a><a href="#a">A</a>');
    writeFileSync(join(folder, 'b.html'), '<h1 id="b">B</h1><a href="./">A</a><img src="gone.png">');
    expect(deadLinksIn(folder)).toEqual(['b.html: gone.png', 'index.html: /b.html#c']);
    expect(() => config.buildEnd({ outDir: folder })).toThrow('index.html: /b.html#c');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the sidebar leads to every page', () => {
  const links = config.themeConfig.sidebar.flatMap(({ items }) => items.map(({ link }) => link));
  const all = pages
    .filter(({ path }) => path.startsWith('docs/') && path !== 'docs/README.md')
    .map(({ path }) => path.slice('docs'.length).replace(/\.md$/, ''));
  expect(links.toSorted()).toEqual(all.toSorted());
});

test.each([
  { href: '../AGENTS.md#rules', address: 'https://example.com/r/blob/main/AGENTS.md#rules' },
  { href: 'adr/', address: 'https://example.com/r/tree/main/docs/adr/' },
  { href: 'README.md', address: '/' },
  { href: 'cost.md#idle', address: undefined },
  { href: 'https://example.com/x', address: undefined },
])('a link to $href leads to $address', ({ href, address }) => {
  const places = { root: `${process.cwd()}/`, repository: 'https://example.com/r' };
  expect(addressOf(href, 'docs/x.md', places)).toBe(address);
});

describe('the calculator', () => {
  const plan = referencePlan(measured);
  const used = usedBy(plan, measured);

  test('prices the reference run as docs/cost.md does', () => {
    expect(Math.abs(sumOf(billOf(used, false)) - onLambda)).toBeLessThan(0.5);
    expect(Math.abs(sumOf(billOf(used, true)) - managed)).toBeLessThan(0.5);
    expect(used.pushes / plan.steps).toBeCloseTo(measured.step.pushes, 6);
    expect(used.writes / plan.steps).toBeCloseTo(measured.step.writes, 6);
  });

  test('counts the pushes of a slower pace as docs/cost.md says', () => {
    const told = Number(/`limits: \{ pushEveryMs: 1500 \}` they are (\d+)/.exec(read('docs/cost.md'))?.[1]);
    const slower = usedBy({ ...plan, pushEveryMs: 1_500 }, measured);
    expect(Math.abs(slower.pushes / plan.steps - told)).toBeLessThan(1);
  });

  test('charges a short reply without listeners no pushes, and the write units of a short reply', () => {
    const short = usedBy({ ...plan, listeners: 0, speaks: 0.5 }, measured);
    expect(short.pushes).toBe(0);
    expect(short.writes / plan.steps).toBe(measured.shortWrites);
  });

  test('says which row is missing when a table has changed', () => {
    expect(() =>
      measuredIn(read('docs/cost.md').replace('read units', 'units'), read('docs/speed.md')),
    ).toThrow('read units');
  });
});
