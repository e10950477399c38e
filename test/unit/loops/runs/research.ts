import { each, failed, one, type Run, rounds } from './run.ts';

/** Reading and taking notes. */
export const research: readonly Run[] = [
  {
    name: 'twelve questions to a search engine, and the best page of each',
    tools: { web_search: 'read', fetch_url: 'read' },
    steps: rounds(12, (i) => [
      one('web_search', { query: `heat pump study ${i}` }, [
        { url: `https://a.example/${i}`, title: `Study ${i}` },
      ]),
      one(
        'fetch_url',
        { url: `https://a.example/${i}` },
        `Text of study ${i}: the seasonal factor is 3.${i}.`,
      ),
    ]),
  },
  {
    name: 'seven pages of the hits of one query',
    tools: { web_search: 'read' },
    steps: each(7, (page) =>
      one('web_search', { query: 'lithium recycling', page }, [`hit ${page}a`, `hit ${page}b`]),
    ),
  },
  {
    name: 'fifteen sections of one paper',
    tools: { read_section: 'read' },
    steps: each(15, (section) =>
      one('read_section', { file: 'paper.pdf', section }, `Section ${section}: we show lemma ${section}.`),
    ),
  },
  {
    name: 'six searches without a hit, then one with',
    tools: { search_archive: 'read', get_record: 'read' },
    steps: [
      ...each(6, (i) => one('search_archive', { query: `Fonds Müller ${1890 + i}` }, 'No results.')),
      one('search_archive', { query: 'Fonds Müller 1899' }, ['rec-12']),
      one('get_record', { id: 'rec-12' }, 'A letter.'),
    ],
  },
  {
    name: 'the brief read again between notes',
    tools: { read_document: 'read', save_note: 'idempotent', web_search: 'read' },
    steps: rounds(6, (i) => [
      one('read_document', { name: 'brief.md' }, 'Compare five vendors by price, support and exit.'),
      one('web_search', { query: `vendor ${i} prices` }, [`vendor ${i} costs ${i}00`]),
      one('save_note', { text: `Vendor ${i}: ${i}00.` }, 'saved'),
    ]),
  },
  {
    name: 'three dead links and the archive',
    tools: { fetch_url: 'read', web_search: 'read' },
    steps: [
      one('web_search', { query: 'tide tables 1907' }, ['https://x.example/a', 'https://y.example/b']),
      one('fetch_url', { url: 'https://x.example/a' }, failed('404 Not Found')),
      one('fetch_url', { url: 'https://y.example/b' }, failed('getaddrinfo ENOTFOUND y.example')),
      one('web_search', { query: 'tide tables 1907 archive' }, ['https://z.example/c']),
      one('fetch_url', { url: 'https://z.example/c' }, 'High water at noon.'),
    ],
  },
  {
    name: 'forty pages of a manual',
    tools: { read_page: 'read' },
    steps: each(40, (page) =>
      one('read_page', { document: 'manual', page }, `Page ${page}: turn valve ${page} left.`),
    ),
  },
  {
    name: 'thinking aloud between sources',
    tools: { think: 'idempotent', fetch_url: 'read' },
    steps: rounds(8, (i) => [
      one('fetch_url', { url: `https://b.example/${i}` }, `Source ${i}.`),
      one('think', { thought: `Source ${i} speaks for hypothesis ${i % 3}.` }, 'ok'),
    ]),
  },
  {
    name: 'a page that is scrolled and read',
    tools: { scroll: 'idempotent', read_screen: 'read' },
    steps: rounds(9, (i) => [
      one('scroll', { direction: 'down' }, 'ok'),
      one('read_screen', {}, `Lines ${20 * i} to ${20 * i + 19} of the page.`),
    ]),
  },
];
