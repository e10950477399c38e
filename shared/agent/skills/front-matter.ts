import { type Document, parseDocument } from 'yaml';
import { defined } from '../plain/defined.ts';
import { isRecord } from '../plain/merge.ts';
import { SKILL_FILE } from './limits.ts';
import { problem, type SkillProblem } from './problem.ts';
import { plainText, splitSkill } from './split.ts';

/** A `SKILL.md`, taken apart. */
export interface FrontMatter {
  /** The keys of its front matter; undefined if there is none that can be read. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** The text after the front matter. */
  readonly body: string;
  /** Line on which the body begins, from 1. */
  readonly bodyLine: number;
  readonly problems: readonly SkillProblem[];
}

/** Aliases of YAML that are followed: one that names itself in each of ten lines would otherwise become a billion values. */
const MAX_ALIASES = 20;

/**
 * Takes a `SKILL.md` apart. A byte order mark and Windows line ends are accepted. A value such as `description: Use when: asked` or
 * `argument-hint: [file] - what`, which YAML refuses and other clients accept, is read as text, with a warning. Never throws.
 */
export function frontMatterOf(markdown: string): FrontMatter {
  const split = splitSkill(markdown);
  if (typeof split === 'string')
    return { body: plainText(markdown), bodyLine: 1, problems: [problem('error', SKILL_FILE, split, 1)] };
  const { yaml, ...rest } = split;
  const { keys, problems } = keysOf(yaml);
  return { ...rest, problems, ...defined({ keys }) };
}

function keysOf(yaml: string): Pick<FrontMatter, 'keys' | 'problems'> {
  const document = parse(yaml);
  const [wrong] = document.errors;
  if (!wrong) return recordOf(document);
  const mended = parse(quoted(yaml));
  // Line 1 is the opening ---.
  const line = (wrong.linePos?.[0].line ?? 1) + 1;
  const [why = 'it cannot be read'] = wrong.message.split(/ at line |\n/);
  if (mended.errors.length > 0)
    return { problems: [problem('error', SKILL_FILE, `the front matter is not YAML: ${why}`, line)] };
  const { keys, problems } = recordOf(mended);
  const told = problem('warning', SKILL_FILE, `${why}: put the value in quotes, for other clients`, line);
  return { ...defined({ keys }), problems: [told, ...problems] };
}

function recordOf(document: Document.Parsed): Pick<FrontMatter, 'keys' | 'problems'> {
  const fails = (why: string) => ({ problems: [problem('error', SKILL_FILE, why, 2)] });
  try {
    const keys: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return isRecord(keys)
      ? { keys, problems: [] }
      : fails('the front matter must have keys: name: … and description: …');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fails(`the front matter cannot be read: ${why}`);
  }
}

const parse = (yaml: string) =>
  parseDocument(yaml, { schema: 'core', prettyErrors: true, logLevel: 'silent', stringKeys: true });

/** The same front matter, with the values in quotes that YAML refuses, where they are on the line of their key. */
const quoted = (yaml: string): string =>
  yaml
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? [];
      return key && value && parse(line).errors.length > 0 ? `${key}: ${JSON.stringify(value.trim())}` : line;
    })
    .join('\n');
