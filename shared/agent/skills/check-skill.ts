import { byteLength } from '../plain/utf8.ts';
import { hintsIn } from './hints.ts';
import { recommended, SKILL_FILE, skillLimits } from './limits.ts';
import { packHash, packOf } from './pack.ts';
import { problem, type SkillProblem } from './problem.ts';
import { type ReadSkill, readSkill } from './read-skill.ts';
import type { Skill } from './skill.ts';

/** A skill's folder that was checked. */
export interface CheckedSkill {
  /** Name of its folder. */
  readonly folder: string;
  /** Undefined if something in it is an error. */
  readonly skill?: Skill;
  /** Its files in one text; undefined if something is an error. */
  readonly pack?: string;
  /** Bytes and number of its files. */
  readonly bytes: number;
  readonly files: number;
  readonly problems: readonly SkillProblem[];
}

/**
 * Checks the files of a skill's folder. Pure.
 *
 * @param folder its name
 * @param files content by path below the folder, with `/` between names
 * @param before problems that were found when the files were read
 */
export function checkSkill(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  before: readonly SkillProblem[] = [],
): CheckedSkill {
  const problems = [...before];
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  problems.push(...sizesOf(files, bytes), ...pathsOf(files));
  const read = mainOf(files, folder);
  problems.push(...(read?.problems ?? [problem('error', SKILL_FILE, missingMain(files))]));
  if (read) problems.push(...lengthOf(read), ...linksOf(read, files));
  for (const [path, content] of files) problems.push(...hintsOf(path, content));
  const facts = problems.some(({ level }) => level === 'error') ? undefined : read?.facts;
  const summary = { folder, bytes, files: files.size, problems };
  if (!facts) return summary;
  const pack = packOf(files);
  return { ...summary, skill: { ...facts, hash: packHash(pack) }, pack };
}

function mainOf(files: ReadonlyMap<string, Uint8Array>, folder: string): ReadSkill | undefined {
  const main = files.get(SKILL_FILE);
  if (!main) return undefined;
  const text = textOf(main);
  if (text !== undefined) return readSkill(text, folder);
  return {
    body: '',
    bodyLine: 1,
    problems: [problem('error', SKILL_FILE, 'it is not UTF-8 text: save it as UTF-8')],
  };
}

function missingMain(files: ReadonlyMap<string, Uint8Array>): string {
  const other = [...files.keys()].find((path) => path.toLowerCase() === SKILL_FILE.toLowerCase());
  return other
    ? `the file is named ${other}: rename it to ${SKILL_FILE}, because upper and lower case differ where it runs`
    : `there is no ${SKILL_FILE} in the folder`;
}

function sizesOf(files: ReadonlyMap<string, Uint8Array>, bytes: number): SkillProblem[] {
  const problems: SkillProblem[] = [];
  for (const [path, { length }] of files) {
    const most = path === SKILL_FILE ? skillLimits.skillBytes : skillLimits.fileBytes;
    if (length > most)
      problems.push(problem('error', path, `has ${length} bytes; at most ${most} are allowed`));
  }
  if (bytes > skillLimits.totalBytes)
    problems.push(
      problem(
        'error',
        SKILL_FILE,
        `the skill has ${bytes} bytes in all; at most ${skillLimits.totalBytes} are allowed`,
      ),
    );
  if (files.size > skillLimits.files)
    problems.push(problem('error', SKILL_FILE, `the skill has more than ${skillLimits.files} files`));
  return problems;
}

function pathsOf(files: ReadonlyMap<string, Uint8Array>): SkillProblem[] {
  const problems: SkillProblem[] = [];
  const seen = new Map<string, string>();
  for (const path of files.keys()) {
    const plain = path.normalize('NFC').toLowerCase();
    const other = seen.get(plain);
    if (other !== undefined)
      problems.push(
        problem('error', path, `has the same name as ${other} where case does not count: rename one`),
      );
    seen.set(plain, path);
    if (ODD.test(path))
      problems.push(problem('error', path, 'has characters in its name that cannot be seen'));
    if (byteLength(path) > skillLimits.pathBytes)
      problems.push(problem('error', path, `its path has more than ${skillLimits.pathBytes} bytes`));
    if (path.endsWith(`/${SKILL_FILE}`))
      problems.push(problem('warning', path, 'is a skill inside of a skill: it is only a file of this one'));
  }
  return problems;
}

/** Control characters, backslashes, and characters that change the reading direction. */
const ODD = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\\\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

function lengthOf({ body, bodyLine }: ReadSkill): SkillProblem[] {
  const lines = body.split('\n').length;
  if (lines <= recommended.lines && body.length <= recommended.chars) return [];
  const why = `it has ${lines} lines and ${body.length} characters, all of which a model reads: move details to other files`;
  return [problem('warning', SKILL_FILE, why, bodyLine)];
}

/** Files that the instructions link to and that are not in the folder. */
function linksOf({ body, bodyLine }: ReadSkill, files: ReadonlyMap<string, Uint8Array>): SkillProblem[] {
  const folders = new Set([...files.keys()].flatMap((path) => parentsOf(path)));
  return body.split('\n').flatMap((line, i) =>
    [...line.matchAll(/\]\((?!#|[a-z][a-z0-9+.-]*:|\/)([^)\s#?]{1,200})[^)\s]*\)/gi)].flatMap(
      ([, target = '']) => {
        const path = decoded(target).replace(/^\.\//, '').replace(/\/$/, '');
        if (files.has(path) || folders.has(path)) return [];
        const why = path.startsWith('../')
          ? `links to ${target}, which is outside of the skill and cannot be read`
          : `links to ${target}, which is not in the folder`;
        return [problem('warning', SKILL_FILE, why, bodyLine + i)];
      },
    ),
  );
}

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join('/'));

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function hintsOf(path: string, content: Uint8Array): SkillProblem[] {
  const text = textOf(content);
  if (text === undefined || text.includes('\0')) return [];
  return hintsIn(text.replaceAll(/\r\n?/g, '\n'), /\.(?:md|mdx|markdown)$/i.test(path)).map(
    ({ line, text: said }) => problem('warning', path, said, line),
  );
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
