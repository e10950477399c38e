import { describe, expect, test } from 'vitest';
import { requestedArtifacts } from '../../../shared/agent/words/asked/artifacts.ts';
import { asks, asksNothing } from './asked-corpus.ts';

describe('T29: files that a message asks for', () => {
  test.each(asks)('%s', (text, file) => {
    expect(requestedArtifacts(text)).toContain(file);
  });

  test.each(asksNothing)('none: %s', (text) => {
    expect(requestedArtifacts(text)).toEqual([]);
  });

  test('a name in quotes is a name, and a source next to it is none', () => {
    expect(requestedArtifacts('Write `docs/plan.md` from the notes in old/NOTES.md.')).toEqual([
      'docs/plan.md',
    ]);
    expect(requestedArtifacts('Read NOTES.md and write "plan.md".')).toEqual(['plan.md']);
    expect(requestedArtifacts('List the changes from CHANGELOG.md in NEWS.md.')).toEqual([]);
    expect(requestedArtifacts('Document the changes from CHANGELOG.md in NEWS.md.')).toEqual(['NEWS.md']);
  });

  test('a long message takes no long time', () => {
    const text = `${'write and create and save '.repeat(2_000)} plan.md`;
    expect(requestedArtifacts(text)).toEqual([]);
  });
});
