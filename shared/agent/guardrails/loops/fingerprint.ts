import { isTooDeep } from '../../plain/depth.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { memoize } from '../../plain/memoize.ts';
import { isRecord } from '../../plain/merge.ts';
import { plainPath } from '../../session/facts.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { isMoment, isVolatileField, steadyText } from './volatile.ts';

/** Letters of a hash: enough to tell the calls of one run apart, few enough for a session's state. */
const LENGTH = 16;

/** As `loop.news` says: how much equal calls may differ. */
type News = 'excused' | 'counted';

/** Equal for calls of the same tool with the same arguments, whatever the order of their keys and the spelling of paths. */
export const callKey = (call: ToolCall, news: News = 'counted'): string => callKeys[news](call);

/** Several guards ask for the keys of one call, and of one result. */
const callKeyFor = (news: News) =>
  memoize((call: ToolCall) => hash(`${call.name}(${canonicalJson(essentialInput(call, news))})`, LENGTH));
const callKeys = { excused: callKeyFor('excused'), counted: callKeyFor('counted') };

/**
 * Normalized arguments. With `news: 'excused'`, values that change by themselves and are not the subject are left out too, and
 * blanks are collapsed in single lines that are not content.
 */
export function essentialInput({ name, input }: ToolCall, news: News): unknown {
  const plain = plainInput(input);
  if (news === 'counted' || !isRecord(plain)) return plain;
  const all = Object.entries(plain);
  const about = all.some(([key]) => isSubject(key));
  const kept = about ? all.filter(([key, value]) => !changesByItself(name, bare(key), value)) : all;
  return Object.fromEntries(
    kept.map(([key, value]) => [key, CONTENTS.test(bare(key)) ? value : spaced(value)]),
  );
}

const bare = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

/** Arguments that name the subject of a call. */
const PRIMARY =
  /^(?:path|file|filename|filepath|dir|directory|command|cmd|script|query|pattern|url|id|name|key|target)$/;
export const isSubject = (key: string): boolean => PRIMARY.test(bare(key));

/** Arguments in which blanks matter, also at the beginning of a line. */
const CONTENTS =
  /(?:contents?|text|body|code|source|patch|diff|replacement|value|old|new|str|string|delimiter|separator)$/;

function spaced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spaced);
  if (typeof value !== 'string') return value;
  const line = value.trim();
  return line.includes('\n') ? value : line.replace(/\s+/g, ' ');
}

/** Names of arguments that are generated for each call. A request may be the subject of a tool. */
const NONCES = /^(?:nonce|cachebuster|client(?:request)?(?:id|token)|requestid|now|sentat|requestedat)$/;
const STAMPS = /^(?:timestamp|ts)$/;

const changesByItself = (tool: string, key: string, value: unknown): boolean =>
  (NONCES.test(key) && !/request/i.test(tool)) || (STAMPS.test(key) && isClock(value));

/** A moment from a clock. A model that asks for a past moment asks for a whole minute. */
function isClock(value: unknown): boolean {
  if (typeof value !== 'number') return /\d[T ]\d{2}:\d{2}:(?!00(?:\.0+)?(?![.\d]))\d{2}/.test(String(value));
  return value > 1e9 && value % (value < 1e11 ? 60 : 60_000) !== 0;
}

/**
 * Normalized arguments: paths without `./` and other redundant parts, commands with single blanks, single lines without trailing
 * blanks. Longer texts stay as they are: in code, blanks matter.
 */
export function plainInput(input: unknown, key = ''): unknown {
  if (Array.isArray(input)) return input.map((inner) => plainInput(inner, key));
  if (isRecord(input)) {
    return Object.fromEntries(Object.entries(input).map(([name, inner]) => [name, plainInput(inner, name)]));
  }
  if (typeof input !== 'string' || input.includes('\n')) return input;
  const kind = key.replace(/[_-]/g, '').toLowerCase();
  if (PATHS.test(kind)) return plainPath(input);
  if (COMMANDS.test(kind)) return input.trim().replace(/\s+/g, ' ');
  return input.trimEnd().replace(/^(?:\.\/+)+(?=.)/, '');
}

const PATHS = /(?:path|file|filename|dir|directory|folder|cwd|root|target)s?$/;
const COMMANDS = /^(?:command|cmd|script)$/;

/** Whether a result is that of a run, and not one that was made up for a call (docs/guards.md, "Rules"). */
export const wasRun = ({ outcome }: ToolResult): boolean => outcome === 'ok' || outcome === 'error';

/**
 * Equal for results with the same meaning: what changes with every call (times, request ids, durations) is left out. With
 * `news: 'excused'`, more shapes are (`volatile.ts`). An empty result has a fingerprint too.
 */
export const resultKey = (result: ToolResult, news: News = 'counted'): string => resultKeys[news](result);

const resultKeyFor = (news: News) =>
  memoize(({ outcome, content }: ToolResult) =>
    hash(`${outcome}:${news === 'excused' ? steady(content) : stable(content)}`, LENGTH),
  );
const resultKeys = { excused: resultKeyFor('excused'), counted: resultKeyFor('counted') };

function stable(content: string): string {
  const value = jsonOr(content);
  return typeof value === 'string' ? timeless(value).replace(REQUEST_ID, '') : canonicalJson(lasting(value));
}

function steady(content: string): string {
  const value = jsonOr(content);
  return typeof value === 'string' ? steadyText(value) : canonicalJson(steadyValue(value));
}

function steadyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steadyValue);
  if (typeof value === 'string') return steadyText(value);
  if (typeof value === 'number') return isMoment(value) ? 'moment' : value;
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isVolatileField(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, steadyValue(inner)]));
}

/** `2026-01-31T12:00:00.000Z`, and everything else that begins like this. */
const MOMENT = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g;
/** `12:00:00`, and `1.5 s` or `20ms`, as at the end of test reports. */
const CLOCK = /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?)\b/g;
const REQUEST_ID = /\b(?:request|trace|correlation)[-_ ]?id\b\s*[:=]\s*\S+/gi;

const timeless = (text: string): string => text.replace(MOMENT, '').replace(CLOCK, '').replace(DURATION, '');

/** Names of fields that change with every call, without `_` and `-`. */
const VOLATILE =
  /^(?:timestamp|ts|now|servertime|generatedat|fetchedat|checkedat|requestid|traceid|spanid|correlationid|duration(?:ms|s|seconds)?|elapsed(?:ms|s|seconds)?|latency(?:ms|s|seconds)?|took(?:ms)?)$/;

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value === 'string') return timeless(value);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key]) => !VOLATILE.test(key.replace(/[_-]/g, '').toLowerCase()),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, lasting(inner)]));
}

/** Words of an error that are compared: so many at its beginning, and at its end. */
const WORDS = 60;
/** `3 failed`, `# fail 3`: fewer failures are progress. */
const TALLY =
  /\b\d+ (?:of \d+ )?(?:failed|passed|failing|passing|failures?|errors?|problems?|warnings?)\b|\b(?:fail(?:ed|ures|ing)?|pass(?:ed|ing)?|errors)\b[:= ]+\d+/gi;

/** `src/3.ts`: another file is another fault. */
const FILE = /[\w@./-]*\w\.[a-z]\w{0,4}\b/gi;

/**
 * Equal for calls of one tool that fail alike: arguments repeated in the error, volatile parts and numbers are left out. An
 * error is compared without quotes. The report of a command keeps them, with its files and how much failed.
 */
export function failureKey({ name, input }: ToolCall, result: ToolResult): string {
  const said = new Set(wordsIn(canonicalJson(input)));
  const report = result.outcome !== 'error';
  const texts = leavesOf(jsonOr(result.content)).map(steadyText).join(' ');
  const tally = report ? (texts.match(TALLY) ?? []) : [];
  const files = report ? (texts.match(FILE) ?? []) : [];
  const places = files.slice(0, WORDS).map((file) =>
    wordsIn(file)
      .filter((part) => !said.has(part))
      .join('.'),
  );
  const plain = report ? texts : texts.replace(/(["'`]).*?\1/g, '');
  const words = plain
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '' && !said.has(word) && !/\d/.test(word));
  const ends = words.length > 2 * WORDS ? [...words.slice(0, WORDS), ...words.slice(-WORDS)] : words;
  return hash(`${name}:${result.outcome}:${[...ends, ...tally, ...places].join(' ')}`, LENGTH);
}

/** All texts in a value, which may itself be one. */
const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];

const wordsIn = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u);

/** The parsed JSON of a content, if it looks like an object or a list and is not too deep to process; else the content itself. */
export function jsonOr(content: string): unknown {
  if (!/^\s*[[{]/.test(content)) return content;
  try {
    const value: unknown = JSON.parse(content);
    return isTooDeep(value) ? content : value;
  } catch {
    return content;
  }
}
