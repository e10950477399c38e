import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { editFile, grepFiles, readFile, writeFile } from '../../../tools/index.ts';
import { toolSession } from './workspace.fixture.ts';

const files = { 'a.ts': 'one\ntwo\nthree\n' };

describe('arguments by the names that models give them', () => {
  it.each([
    ['file_path', { file_path: 'a.ts' }],
    ['filePath', { filePath: 'a.ts' }],
    ['filename', { filename: 'a.ts' }],
    ['numbers as text', { path: 'a.ts', offset: '1', limit: '3' }],
    ['null for what is left out', { path: 'a.ts', offset: null, limit: null }],
    ['two names of one argument: its own goes first', { file_path: 'b.ts', path: 'a.ts' }],
  ])('are understood: %s', async (_, input) => {
    expect(await (await toolSession(files)).call(readFile, input)).toBe('one\ntwo\nthree');
  });

  it.each([
    [
      'one that is like another',
      { path: 'a.ts', ofset: 1 },
      'There is no argument "ofset"; do you mean "offset"?',
    ],
    ['one that is like an alias', { file_pth: 'a.ts' }, 'do you mean "path"?'],
    ['one that is like nothing', { path: 'a.ts', encoding: 'x' }, 'The arguments are: path, offset, limit.'],
    ['none at all', {}, 'path'],
    ['a list instead of arguments', ['a.ts'], 'expected object'],
    ['text instead of arguments', 'a.ts', 'expected object'],
    ['a number that is none', { path: 'a.ts', offset: 'first' }, 'offset'],
    ['a line before the first', { path: 'a.ts', offset: -1 }, 'offset'],
  ])('that are wrong are told, with what there is (H6): %s', async (_, input, told) => {
    const answer = await (await toolSession(files)).call(readFile, input);
    expect(answer).toMatch(/^Invalid: /);
    expect(answer).toContain(told);
  });

  it('are shown to the model under their own names alone', () => {
    const schemas = [readFile, editFile, writeFile, grepFiles].map((tool) =>
      z.toJSONSchema(tool.input, { target: 'draft-2020-12', io: 'input' }),
    );
    expect(schemas.map(({ type, properties }) => [type, Object.keys(properties ?? {})])).toEqual([
      ['object', ['path', 'offset', 'limit']],
      ['object', ['path', 'old_string', 'new_string', 'replace_all']],
      ['object', ['path', 'content']],
      ['object', ['pattern', 'path', 'glob', 'ignore_case', 'context', 'files_only']],
    ]);
  });
});
