import { each, one, type Run, rounds } from '../../runs/run.ts';

export const writing: readonly Run[] = [
  {
    name: 'nine chapters are written and the outline read before each',
    tools: { get_outline: 'read', write_chapter: 'idempotent' },
    steps: rounds(9, (i) => [
      one('get_outline', {}, '9 chapters about the sea'),
      one('write_chapter', { number: i, text: `Chapter ${i} begins.` }, 'saved'),
    ]),
  },
  {
    name: 'a spelling check after each of six paragraphs, without findings',
    tools: { append: 'once', check_spelling: 'read' },
    steps: rounds(6, (i) => [
      one('append', { text: `Paragraph ${i}.` }, 'ok'),
      one('check_spelling', {}, { findings: [] }),
    ]),
  },
  {
    name: 'one paragraph is replaced five times, with less each time',
    tools: { replace: 'idempotent', count_words: 'read' },
    steps: rounds(5, (i) => [
      one('replace', { id: 'p1', text: 'word '.repeat(90 - 10 * i) }, 'ok'),
      one('count_words', { id: 'p1' }, 90 - 10 * i),
    ]),
  },
  {
    name: 'invitations to eleven guests',
    tools: { send_invitation: 'once' },
    steps: each(11, (i) => one('send_invitation', { to: `guest${i}@x.example`, date: '1 June' }, 'sent')),
  },
  {
    name: 'synonyms of ten words',
    tools: { thesaurus: 'read' },
    steps: each(10, (i) =>
      one(
        'thesaurus',
        { word: ['sea', 'ship', 'sail', 'wave', 'salt', 'wind', 'rope', 'deck', 'gull', 'fog'][i] },
        i % 4 === 3 ? [] : [`s${i}`],
      ),
    ),
  },
  {
    name: 'eight pictures are given a description, and the style guide is read twice',
    tools: { read_file: 'read', look_at: 'read', set_alt: 'idempotent' },
    steps: [
      one('read_file', { path: 'style.md' }, 'Short sentences.'),
      ...rounds(4, (i) => [
        one('look_at', { picture: i }, `a boat ${i}`),
        one('set_alt', { picture: i, alt: `A boat, ${i}` }, 'ok'),
      ]),
      one('read_file', { path: 'style.md' }, 'Short sentences.'),
      ...rounds(4, (i) => [
        one('look_at', { picture: 4 + i }, `a gull ${i}`),
        one('set_alt', { picture: 4 + i, alt: `A gull, ${i}` }, 'ok'),
      ]),
    ],
  },
  {
    name: 'a text is translated into seven languages and looked over',
    tools: { translate: 'read', save: 'idempotent' },
    steps: rounds(7, (i) => [
      one('translate', { text: 'Welcome', to: ['de', 'fr', 'es', 'it', 'pt', 'nl', 'da'][i] }, `w-${i}`),
      one('save', { path: `${i}.txt`, text: `w-${i}` }, 'ok'),
    ]),
  },
  {
    name: 'comments of a review are answered one by one, and the list read in between',
    tools: { list_comments: 'read', answer_comment: 'once' },
    steps: rounds(6, (i) => [
      one(
        'list_comments',
        { state: 'open' },
        each(6 - i, (n) => ({ id: i + n })),
      ),
      one('answer_comment', { id: i, text: 'Done.' }, 'ok'),
    ]),
  },
];
