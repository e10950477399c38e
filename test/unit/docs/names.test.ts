import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, type Page, pages, root, spansOf } from '../../support/docs/pages.ts';
import { membersOf } from '../../support/reference/interfaces.ts';

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const sources = files.filter((path) => /\.(?:ts|mjs|cjs|json)$/.test(path) && path !== 'package-lock.json');
const code = sources.map(read).join('\n');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const config = read('docs/reference/config.md');

/** Spans of all pages that are of a kind, and name nothing that exists: `page: span`. */
const missing = (of: readonly Page[], kind: RegExp, isThere: (span: string) => boolean): string[] =>
  of.flatMap((page) =>
    spansOf(page)
      .filter((span) => kind.test(span) && !isThere(span))
      .map((span) => `${page.path}: ${span}`),
  );

/** A path up to its first placeholder: `DIR`, `<name>`, `…`. */
const FOLDERS = [
  'agents',
  'bench',
  'cli',
  'docs',
  'evals',
  'functions',
  'infra',
  'local',
  'scripts',
  'shared',
  'slack',
  'test',
  'testing',
  'web',
];
const PATH = new RegExp(`^(?:${FOLDERS.join('|')})/[\\w./*{},-]*$`);
/** Files of a user's own project, which pages mention by the names that `steploop init` gives them. */
const theirs =
  /^(?:agents\/support\.ts|evals\/(?:support|lost-order)\.eval\.ts|evals\/baseline\.json|test\/support\.test\.ts|infra\/app\.ts)$/;

/** Names of other systems, on the pages for people who come from them. */
const elsewhere = new Set([
  ...['StateGraph', 'MemorySaver', 'PostgresSaver', 'WorkflowAgent', 'WorkflowChatTransport'],
  ...['interrupt()', 'suspend()', 'createHook()', 'createWebhook()', 'getWritable()', 'instructions.md'],
]);

const KEY =
  /^(?:model|limits|approvals|guardrails|loop|reads|nudges|truncation|empty|intent|statusOnly|verify|parsing|toolErrors|budget|time|recovery|retry)(?:\.(?!ts$)\w+)+$/;
const sections = new Map(
  config
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]),
);

/** Props of the construct, by the prop that holds them. */
const groups = new Map(
  membersOf(read('infra/props.ts'), 'SteploopProps').flatMap(({ name, type }) => {
    const group = /\b(\w+Props)\b/.exec(type)?.[1];
    return group
      ? [[name, membersOf(read('infra/props.ts'), group).map((member) => member.name)] as const]
      : [];
  }),
);
const PROP = new RegExp(`^(?:${[...groups.keys()].join('|')})\\.(?!ts$)\\w+$`);
function isProp(span: string): boolean {
  const [group = '', prop = ''] = span.split('.');
  return groups.get(group)?.includes(prop) ?? false;
}
/** Keys of the definition that have the name of a prop. */
const isOwn = (span: string): boolean => config.includes(`| \`${span}\` `);

function isKey(span: string): boolean {
  const [first = '', ...rest] = span.split('.');
  const section = sections.get(first);
  const [part, key] = section ? [section, rest.join('.')] : [sections.get('guardrails') ?? '', span];
  return new RegExp(`^\\| \`${key.replaceAll('.', '\\.')}[.\`]`, 'm').test(part);
}

describe('names on the pages exist:', () => {
  test('files and folders', () => {
    const isThere = (span: string) =>
      theirs.test(span) ||
      files.some(
        (path) => path === span.replace(/\/$/, '') || (/[*{]/.test(span) && matchesGlob(path, span)),
      );
    expect(missing(pages, PATH, isThere)).toEqual([]);
  });

  test('files that are named without their folder', () => {
    const names = new Set(files.map((path) => path.slice(path.lastIndexOf('/') + 1)));
    const isThere = (span: string) => names.has(span) || theirs.test(span) || elsewhere.has(span);
    expect(missing(pages, /^[\w-]+\.(?:ts|mjs|cjs|md)$/, isThere)).toEqual([]);
  });

  test('npm scripts', () => {
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
    );
    expect(named.length).toBeGreaterThan(8);
    // Scripts of users’ own projects, and of examples.
    const theirScripts = ['dev', 'lint'];
    expect(named.filter(({ script }) => !(script in scripts) && !theirScripts.includes(script))).toEqual([]);
  });

  test('keys of the configuration', () => {
    expect(missing(pages, KEY, (span) => isKey(span) || isProp(span))).toEqual([]);
    expect(isKey('limits.maxSteps') && isKey('loop.cycles.poll') && isKey('guardrails.loop.cycles')).toBe(
      true,
    );
    expect(isKey('limits.cycles') || isKey('loop.nothing')).toBe(false);
  });

  test('props of the construct', () => {
    expect(groups.size).toBeGreaterThan(5);
    expect(missing(pages, PROP, (span) => isProp(span) || isOwn(span) || isKey(span))).toEqual([]);
  });

  test('names of resources, outputs, types and metrics', () => {
    // Names of AWS, and an example.
    const others = new Set(['NodejsFunction', 'SecretAnthropicApiKey']);
    expect(
      missing(
        pages,
        /^<?[A-Z][a-z]+(?:[A-Z][a-z]+)+>?$/,
        (span) => others.has(span) || elsewhere.has(span) || code.includes(span.replaceAll(/[<>]/g, '')),
      ),
    ).toEqual([]);
  });

  test('environment variables and settings in capitals', () => {
    // Names from examples, or of AWS or Slack.
    const others = /^(?:ACME|STRIPE|STANDARD|MY|AWS|XSRF)_/;
    expect(
      missing(pages, /^[A-Z]+(?:_[A-Z0-9]+)+$/, (span) => others.test(span) || code.includes(span)),
    ).toEqual([]);
  });

  test('events', () => {
    expect(missing(pages, /^steploop\.[a-z_]+$/, (span) => code.includes(`'${span}'`))).toEqual([]);
  });

  test('options of commands', () => {
    expect(missing(pages, /^--[a-z]/, (span) => code.includes(span.split(/[ =]/)[0] ?? ''))).toEqual([]);
  });

  test('functions and types that are imported by name', () => {
    const isThere = (span: string) => elsewhere.has(span) || code.includes(span.slice(0, -1));
    expect(missing(pages, /^[a-z]\w+\(\)$/, isThere)).toEqual([]);
  });
});

test('a name that does not exist is reported', () => {
  const page = {
    path: 'x.md',
    text: 'See `shared/nothing.ts` and `limits.nothing`.\n\n```\n`functions/none.ts`\n```\n',
  };
  expect(missing([page], PATH, (span) => files.includes(span))).toEqual(['x.md: shared/nothing.ts']);
  expect(missing([page], KEY, isKey)).toEqual(['x.md: limits.nothing']);
});

test('upgrade.md names every entry of the package', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const entries = Object.keys(exports)
    .filter((name) => name !== './package.json')
    .map((name) => `steploop${name.slice(1)}`);
  const [page] = pages.filter(({ path }) => path === 'docs/upgrade.md');
  expect(entries.filter((name) => !page?.text.includes(`\`${name}\``))).toEqual([]);
});
