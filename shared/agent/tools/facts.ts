import type { ToolCall, ToolResult } from '../slots.ts';
import type { Effect, Evidence } from './define.ts';

/** What guards know of a tool beside its calls: what it declares, without its code. */
export interface ToolFacts {
  readonly name: string;
  readonly effect: Effect;
  readonly evidence?: Evidence;
  readonly poll?: boolean;
}

/** What one executed call proves about the work (H4). */
export interface Proof {
  /** Files that it has changed; `?` when it does not say which. */
  readonly changed: readonly string[];
  /** It ran a verification: with which exit code, as far as it says. */
  readonly verified?: { readonly exitCode: number };
}

const nothing: Proof = { changed: [] };

/** Name parts of tools that change files, of shells, and of verifications; a declaration goes before them. */
const CHANGES = new Set(['edit', 'write', 'patch', 'replace', 'append', 'insert']);
const SHELLS = new Set(['bash', 'shell', 'sh', 'zsh', 'exec', 'terminal', 'powershell']);
const VERIFIES = new Set(['test', 'tests', 'verify', 'typecheck', 'lint', 'compile', 'build']);
const VERIFYING_COMMAND =
  /\b(?:test|tests|pytest|vitest|jest|mocha|tsc|mypy|lint|eslint|ruff|clippy|check|build|compile|verify)\b/i;

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
export const changesFiles = ({ name, effect, evidence }: ToolFacts): boolean =>
  evidence ? evidence.changes === 'files' : effect !== 'read' && named(name, CHANGES);

/** Reads off a call and its result what it proves. Only a call that has run and succeeded proves a change. */
export function proofOf(call: ToolCall, result: ToolResult, facts: ToolFacts | undefined): Proof {
  const ran = result.outcome === 'ok' || result.outcome === 'error';
  if (!facts || !ran) return nothing;
  const changed = result.outcome === 'ok' && changesFiles(facts) ? [targetOf(call) ?? '?'] : [];
  if (!verifies(call, facts)) return { changed };
  return { changed, verified: { exitCode: exitCodeOf(result) } };
}

/** Commands that only look, and their exit code when they find nothing or a difference. */
const LOOKS =
  /^(?:cat|head|tail|less|ls|tree|find|grep|egrep|rg|ag|wc|pwd|echo|printf|which|type|command -v|ps|df|du|env|date|stat|file|diff|cmp|jq|sort|uniq|test|\[|sleep|cd|git (?:status|log|diff|show|branch|remote|grep|blame|ls-files))(?=\s|$)/;
const FINDS = /^(?:grep|egrep|rg|ag|diff|cmp|which|type|command -v|test|\[|pgrep|git grep|git diff)(?=\s|$)/;
/** Ways in which a command that looks writes all the same. */
const WRITES = /(?:^|[^0-9&>])>>?(?!&)|\btee\b|\s-delete\b|\s-exec\b/;

/** Whether a shell command changes nothing: each part of it only looks, or tries something out. */
export const onlyLooks = (command: string): boolean =>
  !WRITES.test(command) &&
  partsOfCommand(command).every((part) => LOOKS.test(part) || VERIFYING_COMMAND.test(part));

/**
 * Whether a shell call that exited otherwise than 0 has answered all the same: a verification says what is wrong, and a
 * search with the exit code 1 that there is nothing.
 */
export function isAnswer(call: ToolCall, result: ToolResult, facts: ToolFacts | undefined): boolean {
  if (result.outcome !== 'ok' || !isShell(call.name, facts)) return false;
  if (proofOf(call, result, facts).verified) return true;
  return result.exitCode === 1 && FINDS.test(partsOfCommand(commandOf(call) ?? '').at(-1) ?? '');
}

const partsOfCommand = (command: string): string[] =>
  command
    .split(/&&|\|\|?|;|\n/)
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => part !== '');

function verifies(call: ToolCall, facts: ToolFacts): boolean {
  if (facts.evidence?.verifies !== undefined) return facts.evidence.verifies;
  if (isShell(call.name, facts)) return VERIFYING_COMMAND.test(commandOf(call) ?? '');
  return named(call.name, VERIFIES);
}

/** The exit code of what the call ran: as its tool gave it, else 0 for a result and 1 for a failure. */
export const exitCodeOf = ({ exitCode, outcome }: ToolResult): number =>
  exitCode ?? (outcome === 'ok' ? 0 : 1);

/** What the call is about: a path, where its input names one in the usual way. */
export const targetOf = ({ input }: ToolCall): string | undefined =>
  stringIn(input, ['path', 'file_path', 'filePath', 'file', 'filename', 'target']);

/** One spelling for all of a path: without blanks around it, `./`, doubled slashes, a slash at its end, and `a/..`. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.trim().split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part.trim() !== '' && part !== '.') parts.push(part);
  }
  return `${path.trimStart().startsWith('/') ? '/' : ''}${parts.join('/')}` || '.';
}

/** The command of a shell call. */
export const commandOf = ({ input }: ToolCall): string | undefined =>
  stringIn(input, ['command', 'cmd', 'script']);

const FAILURE_TEXT =
  /\bFAILED\b|\bFAILURE\b|^Error \[|Traceback \(most recent call last\)|\bexit(?:ed)? (?:with )?(?:code|status):? [1-9]/;

/** Whether a result tells of a failure: it is an error, its command exited otherwise than 0, or its text says so. */
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
