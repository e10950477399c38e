import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

export const research: readonly Run[] = [
  {
    name: 'twelve searches of which five find nothing',
    tools: { web_search: 'read' },
    steps: each(12, (i) =>
      one(
        'web_search',
        { query: `history of lighthouse ${i}` },
        i % 5 < 2 ? { results: [] } : { results: [{ url: `https://l.example/${i}` }] },
      ),
    ),
  },
  {
    name: 'search, then read, six times, with two dead links',
    tools: { web_search: 'read', fetch_page: 'read' },
    steps: rounds(6, (i) => [
      one('web_search', { query: `reef ${i}` }, { results: [{ url: `https://r.example/${i}` }] }),
      one(
        'fetch_page',
        { url: `https://r.example/${i}` },
        i % 3 === 1 ? failed('404 Not Found') : `Reef ${i} is ${i} km long.`,
      ),
    ]),
  },
  {
    name: 'one long paper, page after page',
    tools: { read_pdf: 'read' },
    steps: each(20, (i) =>
      one('read_pdf', { file: 'paper.pdf', page: i + 1 }, `Page ${i + 1}: section ${i} says ${i * i}`),
    ),
  },
  {
    name: 'notes are saved after each source, with the same answer',
    tools: { fetch_page: 'read', save_note: 'once' },
    steps: rounds(8, (i) => [
      one('fetch_page', { url: `https://s.example/${i}` }, `Source ${i}`),
      one('save_note', { text: `Source ${i} says so.` }, 'Note saved.'),
    ]),
  },
  {
    name: 'the list of open questions is read after each answer',
    tools: { list_questions: 'read', find: 'read', tick: 'idempotent' },
    steps: rounds(6, (i) => [
      one(
        'list_questions',
        {},
        each(6 - i, (n) => `question ${n + i}`),
      ),
      one('find', { about: `question ${i}` }, `It is ${i}.`),
      one('tick', { question: i }, 'ok'),
    ]),
  },
  {
    name: 'one table of a statistics office, by year, most of them without data',
    tools: { get_statistics: 'read' },
    steps: each(14, (i) =>
      one(
        'get_statistics',
        { table: 'births', year: 1990 + i },
        i % 4 === 0 ? { value: 1000 + i } : { value: 'not available' },
      ),
    ),
  },
  {
    name: 'a rate-limited archive is asked again and again with pauses',
    tools: { archive_get: 'read', wait: 'read' },
    steps: rounds(4, (i) => [
      one('archive_get', { id: `box-${i}` }, failed('429 Too Many Requests')),
      one('wait', { seconds: 30 }, 'waited'),
      one('archive_get', { id: `box-${i}` }, { letters: i }),
    ]),
  },
  {
    name: 'four arguments of one question are asked of three experts',
    tools: { ask_expert: 'read' },
    steps: each(12, (i) =>
      one('ask_expert', { expert: i % 3, question: `argument ${Math.floor(i / 3)}` }, i % 2 ? 'Yes.' : 'No.'),
    ),
  },
];
