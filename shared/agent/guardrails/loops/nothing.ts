import { isRecord } from '../../plain/merge.ts';
import { jsonOr } from './fingerprint.ts';

/** Longest text in characters in which "not found" is the whole message. */
const SHORT = 300;
const NOTHING = /\b(?:not found|no (?:more|such|results?|match(?:es)?|hits?)|nothing|none|does not exist)\b/i;

/** "ok" stands for a result without text. */
const EMPTY = /^\s*(?:null|""|\{\}|ok)?\s*$/;

/** Whether an answer is empty, has an empty list, or says in a few words that there is nothing. */
export const findsNothing = (content: string): boolean =>
  EMPTY.test(content) || hasNoItems(jsonOr(content)) || (content.length <= SHORT && NOTHING.test(content));

const hasNoItems = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).some(hasNoItems);
