import { describe, expect, it } from 'vitest';
import { globFiles, grepFiles } from '../../../tools/index.ts';
import { linear } from '../../../tools/plain/linear.ts';
import { toolSession } from './workspace.fixture.ts';

describe('glob', () => {
  const files = Object.fromEntries(
    ['a.ts', 'b.js', 'src/a.ts', 'src/x/a.test.ts', 'src/x/b.md', 'we[ird].ts', 'src/.hidden.ts'].map(
      (path) => [path, ''],
    ),
  );
  it.each<[string, string[]]>([
    ['*.ts', ['a.ts', 'src/.hidden.ts', 'src/a.ts', 'src/x/a.test.ts', 'we[ird].ts']],
    ['**/*.ts', ['a.ts', 'src/.hidden.ts', 'src/a.ts', 'src/x/a.test.ts', 'we[ird].ts']],
    ['src/*.ts', ['src/.hidden.ts', 'src/a.ts']],
    ['src/**', ['src/.hidden.ts', 'src/a.ts', 'src/x/a.test.ts', 'src/x/b.md']],
    ['src/', ['src/.hidden.ts', 'src/a.ts', 'src/x/a.test.ts', 'src/x/b.md']],
    ['./src/x/*.{md,test.ts}', ['src/x/a.test.ts', 'src/x/b.md']],
    ['/workspace/?.[jt]s', ['a.ts', 'b.js']],
    ['/?.[!j]s', ['a.ts']],
    ['we\\[ird\\].ts', ['we[ird].ts']],
    ['src/a.t', []],
  ])('%s', async (pattern, found) => {
    const answer = String(await (await toolSession(files)).call(globFiles, { pattern }));
    expect(answer.startsWith('No file matches') ? [] : answer.split('\n')).toEqual(found);
  });

  it('explains a wrong pattern, and is fast with any pattern', async () => {
    const session = await toolSession({ ['a'.repeat(250)]: '' });
    expect(await session.call(globFiles, { pattern: '{a,b' })).toContain('not closed');
    expect(await session.call(globFiles, { pattern: 'x'.repeat(600) })).toContain('at most 500');
    expect(await session.call(globFiles, { pattern: `${'*a'.repeat(40)}*b` })).toContain('No file matches');
  });
});

describe('grep', () => {
  const files = {
    'a.ts': 'import x\nconst Total = 1;\nreturn total;\n',
    'b/c.ts': 'nothing\n',
    'b/d.md': 'the total\n',
    bin: new Uint8Array([0x74, 0x6f, 0x74, 0x61, 0x6c, 0]),
  };
  it.each<[string, object, string]>([
    ['lines with their numbers', { pattern: 'total' }, 'a.ts:3:return total;\nb/d.md:1:the total'],
    [
      'any case',
      { pattern: 'total', '-i': true, path: 'a.ts' },
      'a.ts:2:const Total = 1;\na.ts:3:return total;',
    ],
    ['in a folder', { pattern: 'total', path: 'b' }, 'b/d.md:1:the total'],
    ['in some files', { pattern: 'total', include: '*.ts' }, 'a.ts:3:return total;'],
    [
      'with what is around',
      { pattern: 'Total', context: 1 },
      'a.ts-1-import x\na.ts:2:const Total = 1;\na.ts-3-return total;',
    ],
    ['files only', { pattern: '[Tt]otal', files_only: true }, 'a.ts\nb/d.md'],
    ['nothing', { pattern: 'absent' }, 'Nothing matches in 4 files.'],
  ])('finds %s', async (_, input, found) => {
    expect(await (await toolSession(files)).call(grepFiles, input)).toBe(found);
  });

  it.each([
    ['(', 'no regular expression'],
    ['(?=x)', 'no lookarounds'],
    ['(a)\\1', 'no backreferences'],
    ['((a{100}){100}){100}', 'too many'],
    ['a'.repeat(2_000), 'at most 1000 characters'],
  ])('explains %s', async (pattern, told) => {
    expect(await (await toolSession(files)).call(grepFiles, { pattern })).toContain(told);
  });

  it('reads any text in linear time', async () => {
    const session = await toolSession({ big: `${'a'.repeat(100_000)}!\n`.repeat(5) });
    expect(await session.call(grepFiles, { pattern: '(a+)+$' })).toContain('Nothing matches');
    expect(await session.call(grepFiles, { pattern: '(.*)(.*)(.*)(.*)(.*)[^!]$' })).toContain(
      'Nothing matches',
    );
    expect(await session.call(grepFiles, { pattern: 'a{400}b' })).toContain('Nothing matches');
    expect(await session.call(grepFiles, { pattern: 'a{900}b' })).toContain('takes too long');
  });

  it('holds a worker for at most some seconds, and its clock advances between two files', async () => {
    // Without a period, so that hardly any state of the automaton repeats.
    let bits = 1;
    const line = Array.from({ length: 20_000 }, () => {
      bits = (Math.imul(bits, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (bits >> 16) & 1 ? 'a' : 'b';
    }).join('');
    const text = `${line}\n`.repeat(40);
    const session = await toolSession({ one: text, two: text, three: text });
    let ticks = 0;
    const clock = setInterval(() => ticks++, 1);
    const took = session.call(grepFiles, { pattern: '\\b(?:[ab]*a[ab]{900}[cd])' });
    expect(await took).toContain('takes too long');
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(0);
    expect(await session.call(grepFiles, { pattern: '(?:a?b?){900}c' })).toContain('more than 1000 parts');
  }, 30_000);

  it('finds the end of a line in a Windows file', async () => {
    const session = await toolSession({ dos: 'one;\r\ntwo\r\n' });
    expect(await session.call(grepFiles, { pattern: ';$' })).toBe('dos:1:one;');
  });

  it.each([
    ['^b', 'ab', false],
    ['b$', 'ab', true],
    ['\\bab\\b', 'x ab.', true],
    ['\\bab\\b', 'xab', false],
    ['', 'anything', true],
    ['a|^$', '', true],
    ['(?i)Ä', 'ä', true],
    ['[^a]', 'aaa', false],
    ['.', '😀', true],
  ])('%s in %s: %s', async (pattern, text, isFound) => {
    expect((await linear(pattern))(text)).toBe(isFound);
  });

  it('shows so many lines, each cut, and says how many it left out', async () => {
    const session = await toolSession({
      many: 'hit\n'.repeat(1_000),
      huge: 'hit\n'.repeat(300_000),
      wide: `hit ${'w'.repeat(100_000)}\n`,
    });
    const many = String(await session.call(grepFiles, { pattern: 'hit', path: 'many' }));
    expect(many.split('\n')).toHaveLength(201);
    expect(many).toContain('Only the first 200 are shown');
    const rest = String(await session.call(grepFiles, { pattern: 'hit', glob: '{huge,wide}' }));
    expect(rest).toContain('[Not searched, above 1 MB: huge]');
    expect(rest.length).toBeLessThan(600);
  });

  it('ends when its call ends', async () => {
    const session = await toolSession(files);
    expect(await session.call(grepFiles, { pattern: 'x' }, AbortSignal.abort(new Error('stopped')))).toBe(
      'Error: stopped',
    );
  });
});
