import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf, changelog, type Page, pages, proseOf, root } from '../../support/docs/pages.ts';

const anchors = new Map(
  [...pages, changelog].map((page) => {
    const seen = new Map<string, number>();
    const all = [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
      const anchor = anchorOf(heading);
      const n = seen.get(anchor) ?? 0;
      seen.set(anchor, n + 1);
      return n === 0 ? anchor : `${anchor}-${n}`;
    });
    return [page.path, new Set(all)];
  }),
);

/** Links to missing targets, as `page: link`. */
const broken = (page: Page): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
    const isThere = existsSync(new URL(path, root));
    const isNamed = anchor === undefined || anchors.get(path)?.has(anchor);
    return isThere && isNamed ? [] : [`${page.path}: ${link}`];
  });

test('every link between pages, and to files, has a target', () => {
  expect(pages.length).toBeGreaterThan(20);
  expect([...pages, changelog].flatMap(broken)).toEqual([]);
});

test('docs/README.md leads to every page', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md')?.text ?? '';
  const others = pages.filter(
    ({ path }) => /^docs\/(?:reference\/)?[\w-]+\.md$/.test(path) && path !== 'docs/README.md',
  );
  expect(others.length).toBeGreaterThan(20);
  expect(
    others.filter(({ path }) => !index.includes(`(${path.replace('docs/', '')})`)).map(({ path }) => path),
  ).toEqual([]);
});

test('a broken link is reported', () => {
  const text = '[a](guards.md#rules) [b](guards.md#nothing) [c](nothing.md) [d](https://example.com/x)';
  expect(broken({ path: 'docs/x.md', text })).toEqual([
    'docs/x.md: guards.md#nothing',
    'docs/x.md: nothing.md',
  ]);
});
