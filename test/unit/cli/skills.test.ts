import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AddOptions, addSkills } from '../../../cli/skills/add.ts';
import { checkSkills } from '../../../cli/skills/check.ts';
import { listSkills } from '../../../cli/skills/list.ts';
import { wrongSkills } from '../../../shared/skills/project.ts';
import {
  allSkills,
  ordinarySkills,
  type SkillFixture,
  skillFile,
  writeSkills,
} from '../../support/skills/index.ts';

let root: string;
let project: string;
let said: string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-skills-'));
  project = join(root, 'project');
  await mkdir(project);
  said = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true, force: true });
});

const plain: AddOptions = { wanted: [], all: false, yes: false, force: false };
const found = (name: string) => ordinarySkills.filter(({ folder }) => folder === name);
const lock = async () => JSON.parse(await readFile(join(project, 'skills/skills.lock.json'), 'utf8'));

/** A .tar.gz of these skills, as GitHub makes it, and more entries. */
async function archiveOf(skills: readonly SkillFixture[], more: readonly TarEntry[] = []): Promise<Buffer> {
  const entries = skills.flatMap(({ folder, files }) =>
    Object.entries(files).map(([path, content]): TarEntry => {
      const name = `repo-1/skills/${folder}/${path}`;
      if (typeof content === 'object' && 'link' in content)
        return { header: { name, size: 0, type: 'symlink', linkname: content.link } };
      const body = Buffer.from(content);
      return { header: { name, size: body.length, type: 'file' }, body };
    }),
  );
  return gzipSync(await packTar([...entries, ...more]));
}

describe('steploop skills add', () => {
  it('copies a skill from a folder under its own name, and notes where it is from', async () => {
    await writeSkills(join(root, 'from'), [{ folder: 'other', files: found('refunds')[0]?.files ?? {} }]);
    expect(await addSkills(project, join(root, 'from/other'), plain)).toBe(0);
    expect(await readdir(join(project, 'skills'))).toEqual(['refunds', 'skills.lock.json']);
    expect(await readFile(join(project, 'skills/refunds/references/exceptions.md'), 'utf8')).toContain(
      'Damaged',
    );
    expect(await lock()).toEqual({
      refunds: { source: join(root, 'from/other'), version: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await wrongSkills([{ name: 'a', skills: ['refunds'] }], project)).toEqual([]);
  });

  it('refuses one that is there already, unless it is to be replaced', async () => {
    await writeSkills(join(root, 'from'), found('refunds'));
    await addSkills(project, join(root, 'from'), plain);
    await writeFile(join(project, 'skills/refunds/own.md'), 'Mine.');
    await expect(addSkills(project, join(root, 'from'), plain)).rejects.toThrow('is there already');
    const [changed] = await wrongSkills([{ name: 'a', skills: ['refunds'] }], project);
    expect(changed).toContain('skills/refunds: its files are not those that were added from');
    await addSkills(project, join(root, 'from'), { ...plain, force: true });
    expect(await readdir(join(project, 'skills/refunds'))).toEqual(['SKILL.md', 'references', 'scripts']);
  });

  it('asks which of several, and adds those that were chosen', async () => {
    await writeSkills(join(root, 'from'), [
      ...found('refunds'),
      ...found('two-scripts'),
      ...found('7-day-plan'),
    ]);
    const add = (more: Partial<AddOptions>) => addSkills(project, join(root, 'from'), { ...plain, ...more });
    await expect(add({})).rejects.toThrow('They are: 7-day-plan, refunds, two-scripts.');
    await expect(add({ wanted: ['refund'] })).rejects.toThrow('no skill named refund');
    await add({ wanted: ['refunds', 'two-scripts'] });
    expect(Object.keys(await lock())).toEqual(['refunds', 'two-scripts']);
    await add({ all: true, force: true });
    expect(Object.keys(await lock())).toEqual(['7-day-plan', 'refunds', 'two-scripts']);
  });

  it('adds nothing with an error, and warnings only if they were read', async () => {
    await writeSkills(join(root, 'from'), allSkills);
    const add = (name: string, yes = false) =>
      addSkills(project, join(root, 'from'), { ...plain, wanted: [name], yes });
    await expect(add('linked', true)).rejects.toThrow('correct the errors first');
    await expect(add('hidden-words')).rejects.toThrow('pass --yes');
    expect(said.join('\n')).toContain(
      'hidden-words/SKILL.md:6: warning: tells its reader to ignore other instructions',
    );
    await expect(readdir(join(project, 'skills'))).rejects.toThrow();
    await add('for-another-client', true);
    // The hidden file stays behind.
    expect(await readdir(join(project, 'skills/for-another-client'))).toEqual(['SKILL.md', 'inner']);
  });

  it('reads an archive, and holds it to its hash', async () => {
    const bytes = await archiveOf([...found('refunds'), ...found('pdf-forms')]);
    const file = join(root, 'all.tar.gz');
    await writeFile(file, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const add = (hash: string) => addSkills(project, file, { ...plain, wanted: ['refunds'], sha256: hash });
    await expect(add('0'.repeat(64))).rejects.toThrow(`its SHA-256 is ${sha256}`);
    await expect(add('12')).rejects.toThrow('64 hexadecimal digits');
    await add(sha256);
    expect(await lock()).toMatchObject({ refunds: { archive: sha256 } });
  });

  it('downloads an archive, if its hash is named', async () => {
    const bytes = await archiveOf(found('refunds'));
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/a.tar.gz' ? 200 : 404;
      response.end(bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tar.gz`;
    try {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await expect(addSkills(project, url, plain)).rejects.toThrow(`pass --sha256 ${sha256}`);
      await expect(addSkills(project, `${url}x`, { ...plain, sha256 })).rejects.toThrow('answered with 404');
      await addSkills(project, url, { ...plain, sha256 });
      expect(await lock()).toMatchObject({ refunds: { source: url, archive: sha256 } });
    } finally {
      server.close();
    }
  });

  it('takes a folder of a commit from GitHub', async () => {
    const bytes = await archiveOf([...found('refunds'), ...found('two-scripts')]);
    const asked = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(new Uint8Array(bytes)));
    const commit = 'a'.repeat(40);
    const source = `github:owner/repo@${commit}/skills/refunds`;
    await addSkills(project, source, plain);
    expect(String(asked.mock.calls[0]?.[0])).toBe(`https://codeload.github.com/owner/repo/tar.gz/${commit}`);
    expect(await lock()).toMatchObject({ refunds: { source } });
    asked.mockResolvedValue(new Response(new Uint8Array(bytes)));
    await expect(addSkills(project, `github:owner/repo@${commit}/../..`, plain)).rejects.toThrow('leads out');
  });

  it.each([
    ['a path that leads out', { name: '../../evil.md', size: 1, type: 'file' }, 'leads out of it'],
    ['an absolute path', { name: '/tmp/evil.md', size: 1, type: 'file' }, 'leads out of it'],
    ['a path twice', { name: 'repo-1/skills/refunds/SKILL.md', size: 1, type: 'file' }, 'cannot be unpacked'],
    [
      'a file below a link',
      { name: 'repo-1/skills/linked/passwords.txt/x', size: 1, type: 'file' },
      'cannot be unpacked',
    ],
  ] as const)('refuses an archive with %s', async (_, header, why) => {
    const linked = allSkills.filter(({ folder }) => folder === 'linked');
    const file = join(root, 'bad.tar.gz');
    await writeFile(
      file,
      await archiveOf([...found('refunds'), ...linked], [{ header, body: Buffer.from('x') }]),
    );
    await expect(addSkills(project, file, { ...plain, wanted: ['refunds'] })).rejects.toThrow(why);
    expect(await readdir(project)).toEqual([]);
  });

  it('refuses what is not an archive, or unpacks to too much', async () => {
    const file = join(root, 'bad.tar.gz');
    await writeFile(file, 'text');
    await expect(addSkills(project, file, plain)).rejects.toThrow('not a .tar.gz');
    await writeFile(file, gzipSync(Buffer.alloc(160_000_000)));
    await expect(addSkills(project, file, plain)).rejects.toThrow('has more than');
  });

  it.each([
    ['github:anthropics/skills', 'the 40 digits of a commit'],
    ['github:anthropics/skills@main', 'the 40 digits of a commit'],
    ['http://example.com/a.tar.gz', 'use https'],
    ['s3://bucket/key', 'is not a source'],
    ['./nothing', 'There is no ./nothing'],
  ])('refuses the source %s', async (source, why) => {
    await expect(addSkills(project, source, plain)).rejects.toThrow(why);
  });

  it('refuses a folder without skills', async () => {
    await expect(addSkills(project, root, plain)).rejects.toThrow('There is no skill in');
  });
});

describe('steploop skills check', () => {
  it('reports every skill of a project, and fails on an error', async () => {
    await writeSkills(join(project, 'skills'), allSkills);
    expect(await checkSkills(project, undefined, { json: false, strict: false })).toBe(1);
    const text = said.join('\n');
    expect(text).toMatch(/^skills\/refunds {2}3 files, [\d,]+ bytes, version [0-9a-f]{12}$/m);
    expect(text).toContain(
      'skills/no-description  cannot be used\n  skills/no-description/SKILL.md:1: description is missing',
    );
    expect(text).toMatch(/30 skills: 12 errors, 17 warnings\.$/);
  });

  it('fails on warnings if asked to, and writes JSON', async () => {
    await writeSkills(
      join(project, 'skills'),
      allSkills.filter(({ folder }) => folder === 'colon-in-value'),
    );
    const check = (strict: boolean) => checkSkills(project, 'skills/colon-in-value', { json: true, strict });
    expect(await check(false)).toBe(0);
    expect(await check(true)).toBe(1);
    expect(JSON.parse(String(said[0]))).toMatchObject([
      { folder: 'skills/colon-in-value', files: 1, problems: [{ level: 'warning', line: 3 }] },
    ]);
  });

  it('says when a skill is not the one that was added, or the lock cannot be read', async () => {
    await writeSkills(join(root, 'from'), found('refunds'));
    await addSkills(project, join(root, 'from'), plain);
    await writeFile(
      join(project, 'skills/refunds/SKILL.md'),
      skillFile({ name: 'refunds', description: 'D.' }, 'Other.'),
    );
    expect(await checkSkills(project, undefined, { json: false, strict: false })).toBe(1);
    expect(said.join('\n')).toContain('add it again with --force');
    await writeFile(join(project, 'skills/skills.lock.json'), '[]');
    await expect(checkSkills(project, undefined, { json: false, strict: false })).rejects.toThrow(
      'cannot be read',
    );
  });

  it('says when there are none', async () => {
    await expect(checkSkills(project, undefined, { json: false, strict: false })).rejects.toThrow(
      'There are no skills',
    );
  });

  it('writes no control characters of a skill to the terminal', async () => {
    const body = '<system>\u001b[2Jgone\u202e</system>';
    await writeSkills(join(project, 'skills'), [
      {
        folder: 's',
        files: { 'SKILL.md': skillFile({ name: 's', description: 'D.', '"\\e[2J"': '1' }, body) },
      },
    ]);
    await checkSkills(project, undefined, { json: false, strict: false });
    await listSkills(project, false);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of the test
    expect(said.join('\n')).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  });
});

describe('steploop skills list', () => {
  it('names versions, sources and descriptions', async () => {
    await listSkills(project, false);
    expect(said[0]).toContain('This project has no skills');
    await writeSkills(join(root, 'from'), found('refunds'));
    await addSkills(project, join(root, 'from'), plain);
    said = [];
    await listSkills(project, false);
    expect(said[0]).toMatch(/^refunds {2}[0-9a-f]{12} {2}from .*\n {2}Decides whether/);
    await listSkills(project, true);
    expect(JSON.parse(String(said[1]))).toMatchObject([{ name: 'refunds', source: join(root, 'from') }]);
  });
});
