import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CoderStack, coderStack } from '../support/coder-stack.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/**
 * The coding agent of the samples, bundled, on the embedded stack. It gets a repository as an upload. Its shell and its
 * threads are files of the bundle.
 */

const wrong = 'export const add = (a: number, b: number): number => a - b;';
/** A person's upload: their repository, in a folder of its name, as GitHub and Finder pack one. */
const archive = zipSync(
  Object.fromEntries(
    Object.entries({
      'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
      'src/add.ts': `${wrong}\n`,
      'test/add.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from '../src/add.ts';
test('adds', () => assert.equal(add(1, 2), 3));
`,
    }).map(([path, text]) => [`sums/${path}`, strToU8(text)]),
  ),
);

/** The run's answer. */
const answer = { cause: 'add() subtracted', change: 'Fixed in src/add.ts.', patch: 'changes.patch' };

let world: CoderStack;
let model: RuleModel;

beforeAll(async () => {
  const turns = [
    callTools(['bash', { command: 'cd sums && npm test' }], ['read_file', { path: 'sums/src/add.ts' }]),
    callTools(['bash', { command: 'cd sums && mkdir -p .before/src && cp src/add.ts .before/src' }]),
    callTools(['edit_file', { path: 'sums/src/add.ts', old_string: 'a - b', new_string: 'a + b' }]),
    callTools([
      'bash',
      {
        command:
          'cd sums && npm test && { diff -u .before/src/add.ts src/add.ts > ../changes.patch; rm -r .before; }',
      },
    ]),
    callTools(['bash', { command: 'node -e "for (;;);"; env; cat /etc/passwd' }]),
  ];
  model = await ruleModel(({ turn }) => turns[turn] ?? sayText(JSON.stringify(answer)));
  world = await coderStack('agents/samples/coder/steploop.config.ts', model.url);
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

test('the coding agent takes a repository as an upload, finds its failing test with bash, fixes it, and a link serves its patch', async () => {
  const {
    id: upload,
    url,
    headers,
  } = await world.api('/uploads', {
    name: 'sums.zip',
    mediaType: 'application/zip',
    bytes: archive.length,
  });
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(archive) })).status).toBe(200);
  const message = [
    { type: 'file', upload, unpack: true },
    { type: 'text', text: 'The tests fail. Mend it, and give me a patch.' },
  ];
  const { sessionId } = await world.api('/sessions', { agent: 'coder', message });
  await expect
    .poll(async () => (await world.api(`/sessions/${sessionId}`)).state, { timeout: 200_000, interval: 200 })
    .toBe('completed');
  const { messages } = await world.api(`/sessions/${sessionId}/messages`);
  const results: string[] = messages
    .filter(({ role }: { role: string }) => role === 'tool')
    .map(({ content }: { content: string }) => content);
  const [failing, source, kept, edited, passing, harm, verified] = results;
  expect(JSON.stringify(model.asked[0]?.messages)).toContain(
    'its 3 files are in the workspace, below \\"/\\"',
  );
  expect(JSON.parse(failing ?? '')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('expected 3, got -1'),
  });
  expect(source).toBe(wrong);
  expect(JSON.parse(kept ?? '')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(edited).toContain('+export const add = (a: number, b: number): number => a + b;');
  expect(JSON.parse(passing ?? '')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('fail 0') });
  // Its own time limit or that of its thread ends it, whichever is checked first.
  expect(harm).toMatch(/imeout|interrupted/);
  expect(harm).not.toMatch(/AWS_|root:/);

  // The system has run the tests again. People see the call marked as the system's, and the model does not read it.
  expect(JSON.parse(verified ?? '')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('fail 0'),
  });
  expect(messages.filter(({ made }: { made?: string }) => made)).toMatchObject([
    { role: 'assistant', made: 'check', toolCalls: [{ function: { name: 'bash' } }] },
  ]);

  const { files } = await world.api(`/sessions/${sessionId}/files`);
  expect(files.map(({ path }: { path: string }) => path)).toEqual([
    'changes.patch',
    'sums/package.json',
    'sums/src/add.ts',
    'sums/test/add.test.ts',
  ]);
  const { files: patches } = await world.api(`/sessions/${sessionId}/files?path=changes.patch`);
  expect(await (await fetch(patches[0].url)).text()).toContain(
    '+export const add = (a: number, b: number): number => a + b;',
  );
}, 240_000);
