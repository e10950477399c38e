import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { type Page, pages, root } from '../../support/docs/pages.ts';

const HEADER = ['limit', 'number', 'handled in', 'shown by', 'when it is met'];

/** The parts of a page that have such a table: their heading, their text, and the cells of its rows. */
const partsOf = ({ text }: Page) =>
  text
    .split(/^## /m)
    .map((part) => ({
      heading: part.split('\n')[0] ?? '',
      part,
      rows: part
        .split('\n')
        .filter((line) => line.startsWith('| '))
        .map((line) =>
          line
            .slice(2, -2)
            .split(' | ')
            .map((cell) => cell.trim()),
        ),
    }))
    .filter(({ rows }) => rows[0]?.join() === HEADER.join());

/** The text and the file of a cell that is one link. */
function linkOf(cell: string): { text: string; path: string } | undefined {
  const [, text, to] = /^\[([^\]]+)\]\(([^)#]+)\)$/.exec(cell) ?? [];
  return text && to ? { text, path: posix.join('docs', to) } : undefined;
}

const isFile = (path: string): boolean => existsSync(new URL(path, root));

/** Faults of the tables of a page, a sentence each. */
function wrongIn(page: Page): string[] {
  return partsOf(page).flatMap(({ heading, part, rows }) => [
    ...(/^Sources: \[.+\]\(https:\/\/docs\.aws\.amazon\.com\//m.test(part) ? [] : [`${heading}: no source`]),
    ...rows.slice(2).flatMap((cells) => {
      const [limit = '', number, handled = '', shown = '', met] = cells;
      const [file, shows] = [linkOf(handled), linkOf(shown)];
      return [
        ...(cells.length === HEADER.length && number && met ? [] : [`${limit}: a cell is missing`]),
        ...(file && isFile(file.path) ? [] : [`${limit}: no file`]),
        ...(shown === 'none' || (shows && hasTest(shows)) ? [] : [`${limit}: no test`]),
      ];
    }),
  ]);
}

/** Whether a file of tests has one with this title, or this part of a title. */
const hasTest = ({ text, path }: { text: string; path: string }): boolean =>
  /^test\/.*\.ts$/.test(path) && isFile(path) && readFileSync(new URL(path, root), 'utf8').includes(text);

const limits = pages.find(({ path }) => path === 'docs/aws-limits.md') as Page;

test('each limit of AWS has its number, a source, the file that handles it and a test that exists', () => {
  expect(wrongIn(limits)).toEqual([]);
});

test('the tables cover the services, and few limits have no test', () => {
  const parts = partsOf(limits);
  expect(parts.map(({ heading }) => heading)).toEqual(
    expect.arrayContaining(['SQS', 'DynamoDB', 'S3', 'Lambda', 'API Gateway', 'CloudFormation', 'IAM']),
  );
  const rows = parts.flatMap((part) => part.rows.slice(2));
  expect(rows.length).toBeGreaterThanOrEqual(69);
  expect(rows.filter(([, , , shown]) => shown === 'none').map(([limit]) => limit)).toEqual([
    'a streamed response',
  ]);
});

test('a row whose file or test does not exist is reported', () => {
  const text = [
    '## A service',
    `| ${HEADER.join(' | ')} |`,
    '| - | - | - | - | - |',
    '| one | 1 | [queue](../shared/aws/queue.ts) | [no such title](../test/contract/queue.ts) | x |',
    '| two | 2 | [none](../shared/aws/none.ts) | [x](../test/none.test.ts) | y |',
    '| three | [queue](../shared/aws/queue.ts) | none | z |',
  ].join('\n');
  expect(wrongIn({ path: 'docs/x.md', text })).toEqual([
    'A service: no source',
    'one: no test',
    'two: no file',
    'two: no test',
    'three: a cell is missing',
    'three: no file',
    'three: no test',
  ]);
});
