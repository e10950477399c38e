import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareData } from '../../../local/data.ts';

describe('the folder of the state', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'steploop-data-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('is created, for its owner only, and used again', () => {
    const data = join(root, 'a', 'b');
    prepareData(data);
    prepareData(data);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(data, 'version'), 'utf8')).toBe('1\n');
    prepareData(undefined);
  });

  test('may be one from before it had a version', () => {
    mkdirSync(join(root, 'stack'));
    expect(() => prepareData(root)).not.toThrow();
  });

  test.each(['file', 'file/in/it'])('cannot be %s', (path) => {
    writeFileSync(join(root, 'file'), '');
    const data = join(root, path);
    expect(() => prepareData(data)).toThrow(
      `${data} is not a folder: name another one with --data, or use --ephemeral.`,
    );
  });

  test.skipIf(process.getuid?.() === 0)('cannot be one that is not writable', () => {
    mkdirSync(join(root, 'shut'), { mode: 0o500 });
    expect(() => prepareData(join(root, 'shut'))).toThrow('is not writable: name another one');
  });

  test('cannot be that of another version', () => {
    writeFileSync(join(root, 'version'), '2\n');
    expect(() => prepareData(root)).toThrow(
      'holds the state of another version of Steploop (2; this one has 1)',
    );
  });
});
