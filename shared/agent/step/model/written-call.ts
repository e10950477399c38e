import { canonicalJson } from '../../plain/hash.ts';
import { isRecord } from '../../plain/merge.ts';
import type { ToolCall } from '../../session/slots.ts';

/** Forms of calls that models write into their text when they mean to call a tool. */
const TAGS = '(?:tool_call|function_call|tool_use|invoke)';
/** At the beginning of a line such a tag is always meant as a call. */
const AT_LINE = new RegExp(`^[ \\t]*<${TAGS}\\b.*$`, 'm');
/** The same with its end: even beside real calls it is not a mere mention. */
const WHOLE_LINE = new RegExp(`^[ \\t]*<(${TAGS})\\b[^\\n]*</\\1>`, 'm');
/** Anywhere, with the name of the called tool. */
const NAMED = new RegExp(
  [
    `(?:<${TAGS}>|<\\|tool_call\\|?>|\\[TOOL_CALLS?\\])\\s{0,20}(?:\\[\\s{0,20})?\\{[^{}]{0,200}?"(?:name|tool|function)"\\s{0,5}:\\s{0,5}"([\\w-]{1,64})"`,
    `<(?:${TAGS} name|function)="?([\\w-]{1,64})"?[^<>]{0,100}>`,
  ].join('|'),
  'g',
);
/** Code, and text that only mentions a call, is not a call. */
const CODE = /^[ \t]*```.*?^[ \t]*```|`[^`\n]*`/gms;

/** Characters of the written call that are stored, to show the model which one it was. */
const SHOWN = 200;

/**
 * A call that was written in a reply's text and was not made. If real calls were made, or other words precede it, it counts
 * only if it names one of the tools or is closed on its line.
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

/** Some servers leave the text of a call in place, and make the call as well. */
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

/** The value that a text is the JSON of; anything else is returned as it is. */
function objectOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
