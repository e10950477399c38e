import { type Call, each, failed, one, type Run, rounds } from './run.ts';

const lookup = (i: number): Call => [
  'lookup_order',
  { orderId: i },
  { id: i, status: i % 2 ? 'shipped' : 'packed' },
];

/** Several calls a reply, and lists that come in pages. */
export const batches: readonly Run[] = [
  {
    name: 'three batches of eight lookups',
    tools: { lookup_order: 'read' },
    steps: each(3, (round) => each(8, (i) => lookup(8 * round + i))),
  },
  {
    name: 'nine batches of eight files',
    tools: { read_file: 'read' },
    steps: each(9, (round) =>
      each(8, (i): Call => ['read_file', { path: `src/${8 * round + i}.ts` }, `file ${8 * round + i}`]),
    ),
  },
  {
    name: 'two batches of ten files written',
    tools: { write_file: 'once' },
    steps: each(2, (round) =>
      each(10, (i): Call => ['write_file', { path: `${round}/${i}.md`, content: `${i}` }, 'ok']),
    ),
  },
  {
    name: 'a batch with five reads of one file',
    tools: { read_file: 'read', list_files: 'read' },
    steps: [
      one('list_files', { path: '.' }, ['a.ts']),
      each(5, (): Call => ['read_file', { path: 'a.ts' }, 'text of a']),
    ],
  },
  {
    name: 'batches with a failure in each',
    tools: { fetch_url: 'read' },
    steps: each(4, (round) =>
      each(
        4,
        (i): Call => [
          'fetch_url',
          { url: `https://x.example/${round}/${i}` },
          i === 1 ? failed('403 Forbidden') : `page ${round}/${i}`,
        ],
      ),
    ),
  },
  {
    name: 'a search and its five best pages, four times',
    tools: { web_search: 'read', fetch_url: 'read' },
    steps: rounds(4, (round) => [
      one(
        'web_search',
        { query: `topic ${round}` },
        each(5, (i) => `https://x.example/${round}/${i}`),
      ),
      each(5, (i): Call => ['fetch_url', { url: `https://x.example/${round}/${i}` }, `text ${round}/${i}`]),
    ]),
  },
  {
    name: 'thirty cells of a sheet written',
    tools: { write_cell: 'idempotent' },
    steps: each(10, (row) =>
      each(3, (column): Call => ['write_cell', { row, column, value: row * column }, 'ok']),
    ),
  },
];

export const pages: readonly Run[] = [
  {
    name: 'fourteen pages of a list, by cursor',
    tools: { list_orders: 'read' },
    steps: each(14, (i) =>
      one(
        'list_orders',
        { cursor: i === 0 ? null : `c${i}` },
        { items: [10 * i, 10 * i + 1], next: `c${i + 1}` },
      ),
    ),
  },
  {
    name: 'the next page, by the same call',
    tools: { next_page: 'read' },
    steps: each(10, (i) => one('next_page', {}, { rows: [3 * i, 3 * i + 1] })),
  },
  {
    name: 'pages by offset, the last ones empty',
    tools: { search_items: 'read' },
    steps: each(9, (i) => one('search_items', { query: 'lamp', offset: 20 * i }, i < 7 ? [`lamp ${i}`] : [])),
  },
  {
    name: 'pages of issues, each with its comments',
    tools: { list_issues: 'read', get_comments: 'read' },
    steps: rounds(5, (page) => [
      one('list_issues', { repo: 'a/b', state: 'open', page }, [10 * page, 10 * page + 1]),
      each(2, (i): Call => ['get_comments', { issue: 10 * page + i }, []]),
    ]),
  },
  {
    name: 'a file read from its end to its beginning',
    tools: { read_lines: 'read' },
    steps: each(8, (i) =>
      one('read_lines', { path: 'app.log', from: 700 - 100 * i, to: 800 - 100 * i }, `lines ${i}`),
    ),
  },
];
