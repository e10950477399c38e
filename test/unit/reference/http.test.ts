import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../../shared/contract/api.ts';
import { aguiRoutes, chatRoutes, hookRoutes, httpRoutes } from '../../../shared/contract/routes.ts';
import { assertDescribed } from '../../support/reference/described.ts';
import { openApi, problemsOf } from '../../support/reference/openapi.ts';
import { table } from '../../support/reference/table.ts';

const root = new URL('../../..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

const access = {
  open: 'everybody',
  caller: 'whoever has a credential',
  admin: 'who may administer the tenant',
  signed: 'whoever has signed it',
  token: 'whoever holds the token in its path',
};

const page = () => `# HTTP

Written by \`test/unit/reference/http.test.ts\` from \`shared/contract/api.ts\`; the test fails when they differ
(\`vitest run --project unit test/unit/reference -u\` writes it anew). The bodies, with every key, are in the OpenAPI document
[openapi.json](../../shared/contract/openapi.json), which a deployment serves at \`GET /openapi.json\`, to everybody. Who may do what:
[identity.md](../identity.md).

A refusal is a problem document (RFC 9457) with one of these titles. What the gateway itself refuses is not: a path that is no
route (404), more than 10 MB (413), more than it lets through (429), a time-out (503): these are \`{"message": "…"}\`.

${Object.entries(operations)
  .map(
    ([route, operation]) =>
      `## ${route}\n\n${operation.summary} For ${access[operation.access]}.\n\n${table(
        ['status', 'answer'],
        [
          ...Object.entries(operation.answers).map(([status, answer]) => [
            status,
            typeof answer === 'string' ? `\`${answer}\`` : 'JSON',
          ]),
          ...Object.entries(problemsOf(operation)).map(([status, titles = []]) => [
            status,
            titles.map((title) => `\`${title}\``).join(', '),
          ]),
        ],
      )}`,
  )
  .join('\n\n')}
`;

test('shared/contract/openapi.json matches the routes', async () => {
  await expect(`${JSON.stringify(openApi(version), null, 1)}\n`).toMatchFileSnapshot(
    '../../../shared/contract/openapi.json',
  );
});

test('docs/reference/http.md matches it too', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/http.md');
});

test('every public route is described', () => {
  expect(Object.keys(operations).toSorted()).toEqual(
    [...httpRoutes, ...hookRoutes, ...aguiRoutes, ...chatRoutes].toSorted(),
  );
});

test('exactly the problems that functions report are described', () => {
  const sources = globSync(
    ['functions/{attachments,middleware,routes,webhooks}/**/*.ts', 'functions/{http,hooks,agui}.ts'],
    {
      cwd: root,
    },
  ).filter((path) => !path.endsWith('socket-actions.ts'));
  const told = sources.flatMap((path) =>
    [...read(path).matchAll(/(?:Refusal\(\s*\d+,\s*|tooMany\()'([^']+)'/g)].map(([, title = '']) => title),
  );
  const described = new Set(
    Object.values(operations).flatMap((one) => Object.values(problemsOf(one)).flat()),
  );
  // Built from a template: "Invalid" and a noun.
  const invalid = [...described].filter((title) => title?.startsWith('Invalid '));
  expect(invalid.length).toBe(3);
  expect(new Set(told).size).toBeGreaterThan(25);
  expect(told.filter((title) => !described.has(title))).toEqual([]);
  expect([...described].filter((title) => !told.includes(title ?? '') && !invalid.includes(title))).toEqual(
    [],
  );
});

test('every test of the embedded stack detects a response that is not described', () => {
  const headers = new Headers({ 'content-type': 'application/json' });
  const answer = { cancelled: true };
  const check = (status: number, body: object) => () =>
    assertDescribed('POST', '/sessions/s1/cancel', { status, headers, body });
  expect(check(202, answer)).not.toThrow();
  expect(check(200, answer)).toThrow('does not know');
  expect(check(202, { ...answer, since: 1 })).toThrow('has otherwise');
});
