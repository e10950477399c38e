import { separator } from '../source.ts';
import type { Repair } from './repair.ts';

/**
 * Prefixes that models put before the name of a tool: the namespace of their own template (`functions.`, `default_api.`), or that
 * of another client (`mcp__`). Servers accept no dots in names, so these are `_` by now (`models/common/ids.ts`). Reports:
 * tontinton/maki#505 (`functions.bash`).
 */
const PREFIX = /^_*(?:functions?|tools?|default_?api|multi_tool_use|tool_calls?|call|mcp)[_-]+/i;

/** Case, dashes and underscores do not matter unless they are all that tells two tools apart. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The tool that an unknown name means: in another case, with other separators, with a prefix, or without the name of its source
 * (simonw/llm#1552, aaif-goose/goose#6352: `read_module` for `code_execution__read_module`). The name stays if no tool fits, or
 * more than one.
 */
export const nameAsMeant: Repair = (call, { tools }) => {
  if (tools.some(({ name }) => name === call.name)) return call;
  for (const written of spellings(call.name)) {
    for (const form of [whole, withoutSource]) {
      const meant = tools.filter(({ name }) => plain(form(name)) === written);
      const [only] = meant;
      if (only) return meant.length === 1 ? { ...call, name: only.name } : call;
    }
  }
  return call;
};

const whole = (name: string): string => name;
const withoutSource = (name: string): string => {
  const [source, ...rest] = name.split(separator);
  return source && rest.length > 0 ? rest.join(separator) : name;
};

/** The name as it is, and then without a prefix. */
const spellings = (name: string): string[] =>
  [...new Set([name, name.replace(PREFIX, '')].map(plain))].filter((one) => one !== '');
