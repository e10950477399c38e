import { defineAgent } from 'steploop';
import { calls, rehearse, rehearseCrashes, says } from 'steploop/testing';
import { describe, expect, it } from 'vitest';
import { bash } from '../../../tools/bash/index.ts';
import { workspaceTools } from '../../../tools/index.ts';

const agent = defineAgent({
  name: 'worker',
  version: '1',
  model: { name: 'm', maxTokens: 1_000, price: { input: 0, output: 0 } },
  system: 'You work on files.',
  tools: [...workspaceTools(), bash()],
  guardrails: { preset: 'hamr' },
});

const workspace = { 'a.ts': 'one\n', 'b.ts': 'two\n' };
const read = (path: string) => calls(['read_file', { path }]);
const done = says('Done: one became three in a.ts.');

describe('H6: the file tools on the real step', () => {
  it('write on an existing path is an error result, and the run continues', async () => {
    const run = await rehearse(agent, {
      user: 'Look at the files.',
      workspace,
      model: [calls(['write_file', { path: 'a.ts', content: 'new' }]), says('It exists.')],
    });
    expect(run.calls[0]).toMatchObject({
      outcome: 'error',
      content: expect.stringContaining('exists already'),
    });
    expect(run).toMatchObject({ state: 'completed', files: workspace });
  });

  it('wrong argument names are reported with the right ones, and alternative names are understood', async () => {
    const run = await rehearse(agent, {
      user: 'Look at the files.',
      workspace,
      model: [
        calls(['read_file', { pth: 'a.ts' }], ['read_file', { file_path: 'a.ts' }]),
        says('It says one.'),
      ],
    });
    expect(run.calls.map(({ outcome }) => outcome)).toEqual(['error', 'ok']);
    expect(run.calls[0]?.content).toContain('do you mean "path"?');
  });
});

it('an image is shown to the model, and a file that only begins as one is not', async () => {
  const dot =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const run = await rehearse(agent, {
    user: 'Look at the picture.',
    workspace: {
      'dot.png': Uint8Array.from(Buffer.from(dot, 'base64')),
      'fake.png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    },
    model: [
      calls(['view_image', { path: 'dot.png' }], ['view_image', { path: 'fake.png' }]),
      says('It is a dot.'),
    ],
  });
  expect(run.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'error']);
  expect(JSON.stringify(run.requests.at(-1)?.messages)).toContain('"type":"image"');
});

describe('H7: the read cache with the real tools', () => {
  it('read a, read b, edit a, read a, read b: a is read again, b is not', async () => {
    const run = await rehearse(agent, {
      user: 'Make one three in a.ts.',
      workspace,
      model: [
        read('a.ts'),
        read('b.ts'),
        calls(['edit_file', { path: 'a.ts', old_string: 'one', new_string: 'three' }]),
        read('a.ts'),
        read('b.ts'),
        done,
      ],
    });
    expect(run.calls.map(({ content }) => content.split('\n')[0])).toEqual([
      'one',
      'two',
      'Edited a.ts in one place.',
      'three',
      'two',
    ]);
    const reads = run.starts.filter(({ name }) => name === 'read_file').map(({ input }) => input);
    expect(reads).toEqual([{ path: 'a.ts' }, { path: 'b.ts' }, { path: 'a.ts' }]);
  });

  it('a command that may have changed anything invalidates all of it', async () => {
    const run = await rehearse(agent, {
      user: 'Make one three in a.ts.',
      workspace,
      model: [read('a.ts'), calls(['bash', { command: 'sed -i s/one/three/ a.ts' }]), read('a.ts'), done],
    });
    expect(run.calls.at(-1)?.content).toBe('three');
  });

  it('lines 1 to 10 and then 50 to 60 are two reads (T26)', async () => {
    const run = await rehearse(agent, {
      user: 'Look at it.',
      workspace: { 'long.txt': Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`).join('') },
      model: [
        calls(['read_file', { path: 'long.txt', offset: 1, limit: 10 }]),
        calls(['read_file', { path: 'long.txt', offset: 50, limit: 11 }]),
        says('I have looked at it.'),
      ],
    });
    expect(run.calls[1]?.content).toMatch(/^line 50\n/);
    expect(run.starts).toHaveLength(2);
  });
});

describe('T20: the files that the tools touch', () => {
  it('edits of two files run in parallel, edits of one in order', async () => {
    const edit = (path: string, old_string: string, new_string: string) =>
      ['edit_file', { path, old_string, new_string }] as [string, unknown];
    const run = await rehearse(agent, {
      user: 'Make one three in a.ts.',
      workspace,
      model: [
        calls(['read_file', { path: 'a.ts' }], ['read_file', { path: 'b.ts' }]),
        calls(edit('a.ts', 'one', '1'), edit('b.ts', 'two', '2'), edit('a.ts', '1', 'three'), [
          'read_file',
          { path: '/workspace/a.ts' },
        ]),
        done,
      ],
    });
    expect(run.files).toEqual({ 'a.ts': 'three\n', 'b.ts': '2\n' });
    expect(run.calls.at(-1)).toMatchObject({ outcome: 'ok', content: 'three' });
  });
});

it('a worker that dies anywhere leaves each file as it was or as it should be, and the edit is made once', async () => {
  const played = await rehearseCrashes(agent, {
    user: 'Make one three in a.ts.',
    workspace,
    model: [
      read('a.ts'),
      calls(['edit_file', { path: 'a.ts', old_string: 'one', new_string: 'three' }]),
      done,
    ],
  });
  expect(played.length).toBeGreaterThan(20);
  for (const { files, state } of played)
    expect([state, files]).toEqual(['completed', { ...workspace, 'a.ts': 'three\n' }]);
}, 120_000);
