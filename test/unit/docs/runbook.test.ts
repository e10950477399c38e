import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const runbook = read('docs/operating.md');

/** Texts that functions log, with the level if it is a word. */
const written = globSync(['functions/**/*.ts', 'shared/**/*.ts'], { cwd: root }).flatMap((path) =>
  [...read(path).matchAll(/\blog\(\s*(?:'(\w+)'|[^,'()]+), '([^']+)'/g)].map(([, level, message = '']) => ({
    level,
    message,
  })),
);

/** Code spans of several words: on this page they are log lines, or one of a few other things. */
const quoted = [...runbook.replaceAll(/^```.*?^```/gms, '').matchAll(/`([a-zA-Z][^`]* [^`]*)`/g)].map(
  ([, text = '']) => text,
);
const others = /^(GET|POST|PUT|PATCH|DELETE|npm|stats|steploop|pk =|filter|where:)/;

describe('the runbook', () => {
  test('names lines that functions log, word for word', () => {
    const messages = new Set(written.map(({ message }) => message));
    expect(messages.size).toBeGreaterThan(20);
    expect(quoted.filter((text) => !others.test(text) && !messages.has(text))).toEqual([]);
  });

  test('names every line that is an error', () => {
    const errors = written.flatMap(({ level, message }) => (level === 'error' ? [message] : []));
    expect(errors.filter((message) => !runbook.includes(`\`${message}\``))).toEqual([]);
  });
});
