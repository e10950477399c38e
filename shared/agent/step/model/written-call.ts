import { canonicalJson } from '../../plain/hash.ts';
import { isRecord } from '../../plain/merge.ts';
import type { ToolCall } from '../../session/slots.ts';

/** Forms of calls that models write into their text when they mean to call a tool (H19). */
const TAGS = '(?:tool_call|function_call|tool_use|invoke)';
/** At the beginning of a line nothing else is meant. */
const AT_LINE = new RegExp(`^[ \\t]*<${TAGS}\\b.*$`, 'm');
/** The same with its end: also beside calls it is no mere word. */
const WHOLE_LINE = new RegExp(`^[ \\t]*<(${TAGS})\\b[^\\n]*</\\1>`, 'm');
/** Anywhere, with the name of what is called. */
const NAMED = new RegExp(
  [
    `(?:<${TAGS}>|<\\|tool_call\\|?>|\\[TOOL_CALLS?\\])\\s{0,20}(?:\\[\\s{0,20})?\\{[^{}]{0,200}?"(?:name|tool|function)"\\s{0,5}:\\s{0,5}"([\\w-]{1,64})"`,
    `<(?:${TAGS} name|function)="?([\\w-]{1,64})"?[^<>]{0,100}>`,
  ].join('|'),
  'g',
);
/** Code and what is said of words is no call. */
const CODE = /^[ \t]*```.*?^[ \t]*```|`[^`\n]*`/gms;

/** Characters of it that are kept, to show the model which one it was. */
const SHOWN = 200;

/**
 * A call that stands in a reply's text, as it is written, and was not made. Where calls were made, or other words stand
 * before it, only what names one of the tools, or is closed on its line, is one.
 */
export function writtenCall(
  text: string,
  calls: readonly ToolCall[],
  tools: readonly string[],
): string | undefined {
  if (!/[<[]/.test(text)) return undefined;
  const said = text.replace(CODE, ' ');
  const atLine = (calls.length === 0 ? AT_LINE : WHOLE_LINE).exec(said);
  const named = [...said.matchAll(NAMED)];
  const found = named.find(
    (match) => tools.includes(match[1] ?? match[2] ?? '') && !isMade(said.slice(match.index), calls),
  );
  if (found) return said.slice(found.index).split('\n', 1)[0]?.trim().slice(0, SHOWN);
  if (!atLine || (calls.length > 0 && isMade(atLine[0], calls))) return undefined;
  return atLine[0].trim().slice(0, SHOWN);
}

/** Some servers leave the text of a call where it was, and make the call as well. */
function isMade(text: string, calls: readonly ToolCall[]): boolean {
  const written = firstObject(text);
  if (!written) return false;
  const input = written.arguments ?? written.parameters ?? written.input ?? {};
  return calls.some(
    (call) => call.name === written.name && canonicalJson(call.input) === canonicalJson(objectOf(input)),
  );
}

/** The first JSON object in a text. */
function firstObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const from = text.indexOf('{');
  let depth = 0;
  let inString = false;
  for (let at = from; from >= 0 && at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) {
      const value = objectOf(text.slice(from, at + 1));
      return isRecord(value) ? value : undefined;
    }
  }
  return undefined;
}

/** What a text is the JSON of; anything else is itself. */
function objectOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
