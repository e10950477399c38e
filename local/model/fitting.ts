/** Finds the tool that a message names, and its input in the message: as JSON, by the names of its parameters, or as the rest of the text. */

import { RE2JS } from 're2js';
import { parse, type ToolInfo } from './conversation.ts';
import { stem, stemsOf, wordsOf } from './words.ts';

interface FittingCall {
  readonly name: string;
  readonly input: object;
}

/**
 * The tool whose name's words are all in the text, if the text also fills its required parameters. Otherwise the tool with some
 * words of its name in the text, if the text has a value that can only be its input: "Where is order 1001?" for `lookup_order`.
 */
export function fittingCall(tools: readonly ToolInfo[], text: string): FittingCall | undefined {
  const words = stemsOf(text);
  const has = (word: string): boolean => words.has(stem(word));
  const wordsIn = ({ name }: ToolInfo): string[] => wordsOf(name.replaceAll(/[_-]/g, ' '));
  // The tool that is named first, because later text may be its input.
  const placeOf = ({ name }: ToolInfo): number => text.indexOf(writtenIn(text, name));
  const named = tools.filter((tool) => placeOf(tool) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
  const meant = tools.filter((tool) => wordsIn(tool).length > 0 && wordsIn(tool).every(has));
  const hinted = tools.filter((tool) => wordsIn(tool).some(has));
  return call([...named, ...meant], text, true) ?? call(hinted, text, false);
}

/** @param free whether the whole text may be the value of a text parameter that has no other constraint */
function call(tools: readonly ToolInfo[], text: string, free: boolean): FittingCall | undefined {
  for (const { name, parameters } of tools) {
    const input = (free && jsonIn(text)) || fill(parameters, wishOf(text, writtenIn(text, name)), free);
    if (input && (free || Object.keys(input).length > 0)) return { name, input };
  }
  return undefined;
}

/** A tool's name as it occurs in a text; `monitor__service_status` may also stand there without its server's name. */
function writtenIn(text: string, name: string): string {
  const [own = name] = name.split('__').slice(-1);
  return text.includes(name) ? name : own;
}

/** The object in the text, from its first brace on. */
function jsonIn(text: string): object | undefined {
  const from = text.indexOf('{');
  const value = from < 0 ? undefined : parse(text.slice(from, text.lastIndexOf('}') + 1));
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The text around the name of a tool. */
interface Wish {
  readonly text: string;
  /** Whether the whole text is meant: then a quote in it is only a part of it. */
  readonly whole?: boolean;
}

/** Extracts "ls" from "bash: ls", from "Please run ls with bash." and from "bash, ls". */
function wishOf(text: string, name: string): Wish {
  const at = text.indexOf(name);
  if (at < 0) return { text };
  const after = text.slice(at + name.length);
  if (after.startsWith(':')) return { text: after.slice(1).trim(), whole: true };
  const before = text
    .slice(0, at)
    .replace(/^\s*(?:(?:please|now|run|use|call|ask)\b[\s,]*)+/i, '')
    .replace(/\b(?:with|using|in)\s*$/i, '');
  return { text: `${before}${after.replace(/^(?:[\s,;]|with\b)+|^[.!?]$/gi, '')}`.trim() };
}

interface Schema {
  properties?: Record<string, Property>;
  required?: string[];
}
interface Property {
  type?: string;
  enum?: unknown[];
  pattern?: string;
}

/** The named parameters in the text, and the required ones from the rest of it; undefined if one of those cannot be filled. */
function fill(
  { properties = {}, required = [] }: Schema,
  { text, whole = false }: Wish,
  free: boolean,
): object | undefined {
  const { named, rest } = whole ? { named: {}, rest: text } : namedIn(text, properties);
  const open = required.filter((name) => !(name in named));
  // If several text parameters are open, the text cannot be assigned to one of them.
  const isOne = open.filter((name) => properties[name]?.type === 'string').length === 1;
  const input: Record<string, unknown> = { ...named };
  for (const name of open) {
    const bare = rest.startsWith(`${name} `) ? rest.slice(name.length).trim() : rest;
    const quoted = whole ? undefined : /["'`]([^"'`]+)["'`]/.exec(bare)?.[1];
    const value = valueFor(properties[name] ?? {}, bare, free && isOne, quoted);
    if (value === undefined || value === '') return undefined;
    input[name] = value;
  }
  return input;
}

/** The values after a name and a colon or an equals sign, up to the next name; and the text before all of them. */
function namedIn(
  text: string,
  properties: Record<string, Property>,
): { named: Record<string, unknown>; rest: string } {
  const names = Object.keys(properties)
    .filter((name) => /^\w+$/.test(name))
    .join('|');
  const [rest = '', ...parts] = names
    ? text.split(new RegExp(`(?:^|[\\s,;])(${names})\\s*[:=]\\s*`))
    : [text];
  const named: Record<string, unknown> = {};
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [name = '', said = ''] = parts.slice(i, i + 2);
    const value = said
      .trim()
      .replace(/[,;]$/, '')
      .replace(/^(["'`])(.*)\1$/s, '$2');
    const made = properties[name]?.type === 'string' ? value : parse(value);
    if (made !== undefined) named[name] = made;
  }
  return { named, rest: rest.trim() };
}

function valueFor(property: Property, text: string, free: boolean, quoted: string | undefined): unknown {
  if (property.enum) return property.enum.find((value) => text.includes(String(value)));
  const number = /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  switch (property.type) {
    case 'string':
      if (property.pattern !== undefined) return matching(property.pattern, text);
      return free ? (quoted ?? text) : undefined;
    case 'number':
      return number === undefined ? undefined : Number(number);
    case 'integer':
      return number === undefined ? undefined : Math.trunc(Number(number));
    case 'boolean':
      return free || undefined;
    default:
      return undefined;
  }
}

/** The first word of the text that matches a pattern, without punctuation at its end. Undefined if RE2 does not support the pattern. */
export function matching(pattern: string, text: string): string | undefined {
  const words = text.split(/\s+/).map((word) => word.replace(/^["'`(]+|["'`).,:;!?]+$/g, ''));
  try {
    const allowed = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return words.find((word) => word !== '' && allowed.test(word));
  } catch {
    return undefined;
  }
}
