import { type Call, each, failed, one, type Run, rounds } from './run.ts';

const shell = { effect: 'once', evidence: { shell: true } } as const;

/** Whole tasks of several kinds of work. */
export const mixed: readonly Run[] = [
  {
    name: 'a bug, from the report to the release',
    tools: {
      get_issue: 'read',
      grep: 'read',
      read_file: 'read',
      edit_file: 'once',
      bash: shell,
      create_release: 'once',
      check_status: 'read',
      add_comment: 'once',
    },
    steps: [
      one('get_issue', { number: 12 }, { title: 'Dates are off by one' }),
      one('grep', { pattern: 'getDay', path: 'src' }, ['src/a.ts:3', 'src/b.ts:9']),
      each(2, (i): Call => ['read_file', { path: `src/${'ab'[i]}.ts` }, `getDay() ${i}`]),
      one('bash', { command: 'npm test' }, { exitCode: 1, stdout: '3 failed' }),
      one('edit_file', { path: 'src/a.ts', old: 'getDay', new: 'getDate' }, 'ok'),
      one('bash', { command: 'npm test' }, { exitCode: 1, stdout: '1 failed' }),
      one('read_file', { path: 'src/b.ts' }, 'getDay() 1'),
      one('edit_file', { path: 'src/b.ts', old: 'getDay', new: 'getDate' }, 'ok'),
      one('bash', { command: 'npm test' }, { exitCode: 0, stdout: '40 passed' }),
      one('bash', { command: 'git commit -am "Dates"' }, { exitCode: 0, stdout: '[main 1]' }),
      one('create_release', { version: '1.2.3' }, { id: 9 }),
      ...each(6, () => one('check_status', { release: 9 }, 'building')),
      one('check_status', { release: 9 }, 'published'),
      one('add_comment', { number: 12, text: 'Fixed in 1.2.3.' }, 'ok'),
    ],
  },
  {
    name: 'a report from forty steps of reading and calculating',
    tools: { query_sql: 'read', calculate: 'read', write_file: 'once' },
    steps: [
      ...rounds(18, (i) => [
        one('query_sql', { sql: `select sum(x) from t where month = ${i}` }, [{ sum: 100 + i }]),
        one('calculate', { expression: `${100 + i} / 12` }, (100 + i) / 12),
      ]),
      one('write_file', { path: 'report.md', content: '# Sums' }, 'ok'),
    ],
  },
  {
    name: 'a form filled in field by field',
    tools: { click: 'once', type_text: 'once', screenshot: 'read' },
    steps: [
      ...rounds(8, (i) => [
        one('click', { selector: `#f${i}` }, 'ok'),
        one('type_text', { text: `value ${i}` }, 'ok'),
        one('screenshot', {}, `form with ${i + 1} values`),
      ]),
      one('click', { selector: '#send' }, 'ok'),
    ],
  },
  {
    name: 'a game played to its end',
    tools: { make_move: 'once' },
    steps: each(20, (i) =>
      one('make_move', { direction: ['up', 'left'][i % 2] }, { board: `position ${i}` }),
    ),
  },
  {
    name: 'mail sorted, with checks of the time now and then',
    tools: { list_mail: 'read', read_mail: 'read', move_mail: 'idempotent', get_time: 'read' },
    steps: [
      one(
        'list_mail',
        { folder: 'inbox' },
        each(8, (i) => i),
      ),
      ...rounds(8, (i) => [
        one('read_mail', { id: i }, `Mail ${i}`),
        one('move_mail', { id: i, to: i % 2 ? 'work' : 'home' }, 'ok'),
        ...(i % 3 === 0 ? [one('get_time', {}, `2026-03-01T10:0${i}:00Z`)] : []),
      ]),
      one('list_mail', { folder: 'inbox' }, []),
    ],
  },
  {
    name: 'data loaded, with a mistake that is fixed',
    tools: { python: { effect: 'once', evidence: { shell: true } } },
    steps: [
      one('python', { script: 'import pandas' }, { exitCode: 0, stdout: '' }),
      one('python', { script: 'df = read("a.csv")' }, { exitCode: 1, stderr: 'no such column: b' }),
      one('python', { script: 'df = read("a.csv", sep=";")' }, { exitCode: 0, stdout: '' }),
      one('python', { script: 'df.describe()' }, { exitCode: 0, stdout: 'mean 3' }),
      ...each(6, (i) => one('python', { script: `plot(${i})` }, { exitCode: 0, stdout: '' })),
    ],
  },
  {
    name: 'two meetings planned over many calendars',
    tools: { get_calendar: 'read', create_event: 'once', send_invite: 'once' },
    steps: [
      each(6, (i): Call => ['get_calendar', { person: `p${i}`, week: 12 }, []]),
      one('create_event', { title: 'Review', slot: 'Tue 10' }, failed('the room is taken')),
      one('create_event', { title: 'Review', slot: 'Tue 11' }, { id: 'e1' }),
      ...each(6, (i) => one('send_invite', { event: 'e1', to: `p${i}` }, 'sent')),
      each(6, (i): Call => ['get_calendar', { person: `p${i}`, week: 13 }, []]),
      one('create_event', { title: 'Retro', slot: 'Wed 9' }, { id: 'e2' }),
      ...each(6, (i) => one('send_invite', { event: 'e2', to: `p${i}` }, 'sent')),
    ],
  },
];
