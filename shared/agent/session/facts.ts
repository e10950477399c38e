import { type Effect, rulesOfEffect } from '../config/effects.ts';
import type { ShellProof } from '../words/shell/proof.ts';
import { words } from '../words/words.ts';
import type { Evidence } from './evidence.ts';
import type { ToolCall, ToolResult } from './slots.ts';

/** The meaning of an equal call with an equal result, as its tool declares it. */
export type Repeats = 'free' | 'polls' | 'counts';

/** A tool as guards know it, besides its calls: its declaration, without its code. */
export interface ToolFacts {
  readonly name: string;
  readonly effect: Effect;
  readonly evidence?: Evidence;
  readonly poll?: boolean;
  readonly repeats?: Repeats;
  readonly acknowledges?: readonly string[];
}

/** The facts about the work that one executed call proves. */
export type Proof = ShellProof;

const nothing: Proof = { changed: [], unverifies: false };

/** Parts of names of tools that change files, run shells, or verify; a declaration takes precedence. */
const CHANGES = new Set(['edit', 'write', 'patch', 'replace', 'append', 'insert']);
/** These change files if the name has a file word: `delete_file`, but not `create_ticket`. */
const CHANGES_FILES = new Set(['create', 'delete', 'remove', 'rm', 'unlink', 'touch']);
/** These change more than the first path in their input. */
const MOVES_FILES = new Set(['move', 'rename', 'copy', 'mv', 'cp']);
const FILES = new Set(['file', 'files', 'path', 'paths', 'folder', 'directory', 'dir', 'document']);
const SHELLS = new Set(['bash', 'shell', 'sh', 'zsh', 'exec', 'terminal', 'powershell']);
const VERIFIES = new Set(['test', 'tests', 'verify', 'typecheck', 'lint', 'compile', 'build']);

/** `editFile`, `edit_file` and `edit.file` are `edit`, `file`. */
const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_.\-\s]+/);

const named = (name: string, among: ReadonlySet<string>): boolean =>
  partsOf(name).some((part) => among.has(part));

/** Whether the tool runs commands. */
export const isShell = (name: string, facts?: ToolFacts): boolean =>
  facts?.evidence?.shell ?? named(name, SHELLS);

/** Whether the tool changes files. */
export const changesFiles = (tool: ToolFacts): boolean => changesItsTarget(tool) || movesFiles(tool);

/** Whether it changes only the file that its input names. */
export const changesItsTarget = ({ name, effect, evidence }: ToolFacts): boolean =>
  evidence
    ? evidence.changes === 'files'
    : rulesOfEffect(effect).changes &&
      (named(name, CHANGES) || (named(name, CHANGES_FILES) && named(name, FILES)));

const movesFiles = ({ name, effect, evidence }: ToolFacts): boolean =>
  !evidence && rulesOfEffect(effect).changes && named(name, MOVES_FILES) && named(name, FILES);

/** Derives from a call and its result what it proves. Only a call that has run and succeeded proves a change. */
export function proofOf(call: ToolCall, result: ToolResult, facts: ToolFacts | undefined): Proof {
  const ran = result.outcome === 'ok' || result.outcome === 'error';
  if (!facts || !ran) return nothing;
  const recorded = result.changes?.map(({ path }) => path);
  // The system's record takes precedence over names and texts.
  const isRecorded = recorded !== undefined || facts.evidence?.workspace === true;
  const byName =
    !isRecorded && result.outcome === 'ok' && changesFiles(facts) ? [changedBy(call, facts)] : [];
  const changed = recorded ?? byName;
  const proof: Proof = { changed, unverifies: recorded !== undefined || byName.length > 0 };
  const verified = { exitCode: exitCodeToldBy(result) };
  if (facts.evidence?.verifies) return { ...proof, verified };
  const command = isShell(call.name, facts) ? commandOf(call) : undefined;
  if (command !== undefined) {
    const shell = words().shellProof(command, { ...verified, output: outputOf(result) });
    return {
      ...(facts.evidence?.verifies === false ? { ...shell, verified: undefined } : shell),
      changed: isRecorded ? changed : result.outcome === 'ok' ? [...changed, ...shell.changed] : [],
      unverifies: isRecorded
        ? recorded !== undefined && (shell.unverifies || !shell.verified)
        : proof.unverifies || shell.unverifies,
    };
  }
  return verifies(call.name, facts) ? { ...proof, verified } : proof;
}

/** Whether the tool is a verification, by its declaration or its name. */
export const verifies = (name: string, facts: ToolFacts | undefined): boolean =>
  facts?.evidence?.verifies ?? named(name, VERIFIES);

const changedBy = (call: ToolCall, facts: ToolFacts): string =>
  (changesItsTarget(facts) ? targetOf(call) : undefined) ?? '?';

/**
 * Whether a shell call with an exit code other than 0 still gave an answer: a verification reports faults, and a search exits
 * with 1 if it finds nothing.
 */
export function isAnswer(call: ToolCall, result: ToolResult, facts: ToolFacts | undefined): boolean {
  if (result.outcome !== 'ok' || !isShell(call.name, facts)) return false;
  if (proofOf(call, result, facts).verified) return true;
  return result.exitCode === 1 && words().endsInSearch(commandOf(call) ?? '');
}

/** The outcome of a call whose tool reports no exit code: its text may report a failure. */
const exitCodeToldBy = (result: ToolResult): number => result.exitCode ?? (tellsFailure(result) ? 1 : 0);

/** The output of a command: the texts of a result that has several. */
export function outputOf({ content, json }: ToolResult): string {
  if (!json) return content;
  try {
    return Object.values(JSON.parse(content))
      .filter((value) => typeof value === 'string')
      .join('\n');
  } catch {
    return content;
  }
}

/** The exit code of the command: as its tool returned it, otherwise 0 for a result and 1 for a failure. */
export const exitCodeOf = ({ exitCode, outcome }: ToolResult): number =>
  exitCode ?? (outcome === 'ok' ? 0 : 1);

/** The subject of the call: a path, if its input names one in the usual way. */
export const targetOf = ({ input }: ToolCall): string | undefined =>
  stringIn(input, ['path', 'file_path', 'filePath', 'file', 'filename', 'target']);

/** One spelling for all forms of a path: without blanks around it, `./`, double slashes, a trailing slash, and `a/..`. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.trim().split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part.trim() !== '' && part !== '.') parts.push(part);
  }
  return `${path.trimStart().startsWith('/') ? '/' : ''}${parts.join('/')}` || '.';
}

const COMMANDS = ['command', 'cmd', 'script'];

/** The command of a shell call. A list of words becomes an equivalent script. */
export const commandOf = ({ input }: ToolCall): string | undefined =>
  stringIn(input, COMMANDS) ?? wordsIn(input)?.map(quoted).join(' ');

function wordsIn(input: unknown): readonly string[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  return COMMANDS.map((key): unknown => Reflect.get(input, key)).find(
    (value): value is string[] =>
      Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'),
  );
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** "0 FAILED", "no FAILURE" and "FAILED: 0" report no failure. */
const FAILURE_TEXT = new RegExp(
  [
    '\\bFAIL(?:ED|URE)\\b(?<!(?<![\\d.])(?:0|no|none|zero|without)(?:(?: of |/)\\d+)? (?:\\w+ )?FAIL(?:ED|URE))(?!["\']? ?[:=(] ?0(?![\\d.]))',
    '^Error \\[|Traceback \\(most recent call last\\)|\\b[Ee]xit(?:ed)? (?:with )?(?:code|status):? [1-9]',
  ].join('|'),
);

/** Whether a result reports a failure: it is an error, its command exited with a code other than 0, or its text says so. */
export function tellsFailure(result: ToolResult): boolean {
  if (result.outcome === 'error' || result.outcome === 'unknown') return true;
  return result.outcome === 'ok' && ((result.exitCode ?? 0) !== 0 || FAILURE_TEXT.test(result.content));
}

function stringIn(input: unknown, keys: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const found = keys
    .map((key) => Reflect.get(input, key))
    .find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : undefined;
}

/** The tool that a call names, of those given; undefined if there is none. */
export const toolOf = <Named extends { readonly name: string }>(
  tools: readonly Named[],
  { name }: { readonly name: string },
): Named | undefined => tools.find((tool) => tool.name === name);
