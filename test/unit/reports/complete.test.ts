import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reports } from './reports.ts';

/** Reports without a test so far. A report that has its test must not be here. */
const pending: readonly string[] = [];

const folder = new URL('.', import.meta.url);

/** The prefixes of test names in this folder, up to their colon. */
const tested = new Set(
  globSync('*.test.ts', { cwd: folder.pathname })
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\(\s*['"`]([a-z0-9-]+): /g)].map(([, id]) => id)),
);

describe('reports about real models and MCP servers', () => {
  test.each(reports)('$id has a test, unless it is pending', ({ id }) => {
    expect(tested.has(id)).toBe(!pending.includes(id));
  });

  test('only reports of the table are pending, and each has its source', () => {
    const ids = reports.map(({ id }) => id);
    expect(pending.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(reports.filter(({ source }) => source.length === 0)).toEqual([]);
  });
});
