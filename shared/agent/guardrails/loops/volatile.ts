/** Texts that change by themselves, and say nothing about the subject of a call. */

const UNIT = '(?:ns|µs|us|ms|s|secs?|seconds?|msecs?|milliseconds?|mins?|minutes?|hours?|hrs?)';
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*';

/**
 * The named shapes that are left out of a text before two results are compared. Each is narrow: a percentage, a count of rows or
 * a remaining time is what a call is about.
 */
export const volatileShapes: Readonly<Record<string, RegExp>> = {
  /** `2026-01-31T12:00:00.000Z`, and what begins like this. */
  moment: /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g,
  /** `Sun, 01 Mar 2026 10:00:00 GMT`, as in headers, and `Sun Mar 1 10:00:00 UTC 2026`, as of `date`. */
  date: new RegExp(
    `\\b${DAY},? (?:\\d{1,2} ${MONTH} \\d{4} \\d{1,2}:\\d{2}(?::\\d{2})?(?: [a-z]{3,4}\\b)?|${MONTH} +\\d{1,2} \\d{1,2}:\\d{2}:\\d{2}(?: [a-z]{3,4})? \\d{4})`,
    'gi',
  ),
  clock: /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g,
  /** Seconds or milliseconds since 1970, for moments from 2017 to 2036. */
  epoch: /(?<![\w.])(?:1[5-9]|20)\d{8}(?:\d{3}|\.\d+)?(?![\w.])/g,
  /** `3 minutes ago`, but not `3 minutes left`. */
  age: /\b(?:\d+|an?|one) ?(?:[a-z]+) ago\b|\bjust now\b/gi,
  duration: new RegExp(
    `(?<!\\b(?:eta|left|remaining|still)\\b[:= ]{0,3})\\b\\d+(?:[.,]\\d+)? ?${UNIT}\\b(?! (?:left|remaining|to go)\\b)`,
    'gi',
  ),
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /** An id or a hash: 8 hexadecimal digits or more, with letters and numbers. */
  hex: /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi,
  /** `request_id=…`, `trace id: …`, `req_8fK2…`. */
  request:
    /\b(?:request|trace|span|correlation|session)[-_ ]?id\b\s*[:=]?\s*\S+|\b(?:req|request|trace|span|corr)[-_][a-z0-9]{6,}\b/gi,
  process: /\b(?:pid|process|thread|tid)(?: id)?[ :=#]*\d+\b/gi,
  temporary: /\/(?:private\/)?(?:tmp|var\/folders)\/[\w.+-]+/g,
  /** Numbers that are named as counters or as seeds. */
  counter:
    /\b(?:views?|visits?|visitors|heartbeats?|ticks?|seq(?:uence)?|attempts?|tries|try|retries|retry|uptime|nonce|counter|seed)\b[ :=#]*\d+|\b\d+ (?:views|visits|visitors|heartbeats|ticks|attempts|retries)\b/gi,
};

const shapes = Object.values(volatileShapes);

/** A text without volatile parts. Lines that are then equal count once, wherever they stand. */
export function steadyText(text: string): string {
  const steady = shapes.reduce((rest, shape) => rest.replace(shape, ''), text);
  return steady.includes('\n') ? [...new Set(steady.split('\n'))].join('\n') : steady;
}

/** Names of fields that change with every call, without `_` and `-`. */
const FIELDS =
  /^(?:timestamp|ts|now|date|time|servertime|generatedat|fetchedat|checkedat|requestid|traceid|spanid|correlationid|duration(?:ms|s|seconds)?|elapsed(?:ms|s|seconds)?|latency(?:ms|s|seconds)?|took(?:ms)?|nonce|etag|uptime(?:ms|s|seconds)?|pid|views?|viewcount|visits|visitors|heartbeats?|seq|sequence|attempts?|retries|seed)$/;

/** Whether a field changes with every call, by its name. */
export const isVolatileField = (name: string): boolean =>
  FIELDS.test(name.replace(/[_-]/g, '').toLowerCase());

/** Whether a number is a moment: seconds or milliseconds since 1970, from 2017 to 2036. */
export const isMoment = (value: number): boolean =>
  (value >= 1.5e9 && value < 2.1e9) || (value >= 1.5e12 && value < 2.1e12);
