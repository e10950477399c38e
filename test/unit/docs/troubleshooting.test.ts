import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { files, pages, root } from '../../support/docs/pages.ts';

const code = files
  .filter((path) => /^(?:cli|functions|infra|local|shared)\/.*\.ts$/.test(path))
  .map((path) => readFileSync(new URL(path, root), 'utf8'))
  .join('\n');

/** The messages of a page's tables: the texts in backticks of each row's first cell. */
const messagesIn = (text: string): string[] =>
  [...text.matchAll(/^\| (`[^|]*`)[^|`]* +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  );

/** Messages of which a fixed part, between the signs for names and numbers, is in no source. */
const unknown = (messages: readonly string[]): string[] =>
  messages.filter((message) =>
    message.split('…').some((part) => !code.includes(part.replace(/^:/, '').trim())),
  );

test('each message of the page on troubleshooting is one of the code', () => {
  const messages = messagesIn(pages.find(({ path }) => path === 'docs/troubleshooting.md')?.text ?? '');
  expect(messages.length).toBeGreaterThan(50);
  expect(unknown(messages)).toEqual([]);
});

test('a message that the code does not have is reported', () => {
  const table = '| `No such agent` (404) | x |\n| `No such … lighthouse` | y |\n';
  expect(unknown(messagesIn(table))).toEqual(['No such … lighthouse']);
});
