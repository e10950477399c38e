/** How the rule-based model answers with an object: its text goes into the object's first free text. */

import { type Answer, type Conversation, isSaid } from './conversation.ts';
import { matching } from './fitting.ts';

/** The answer as the object that the agent declares; unchanged if the work continues, or if no object is declared. */
export function asObject(answer: Answer, { system, turns }: Conversation): Answer {
  const schema = ASKED.exec(system)?.[1];
  const last = turns.findLast((turn) => turn.kind === 'user' && !isSaid(turn.text));
  if (!schema || answer.calls.length > 0 || (last?.kind === 'user' && last.text.startsWith(WRAP_UP)))
    return answer;
  const root = JSON.parse(schema) as Root;
  const asked = turns.flatMap((turn) => (turn.kind === 'user' ? [turn.text] : []));
  const words = { left: answer.text, known: [answer.text, ...asked.toReversed(), ...examples].join(' ') };
  return { text: JSON.stringify(valueFor(root, words, root.$defs) ?? {}), calls: [] };
}

interface Words {
  /** The text that is still to be placed. */
  left: string;
  /** The text in which values for patterns are searched. */
  readonly known: string;
}

/** Samples of the most common text formats that a pattern asks for. */
const examples = [
  ...['0', '1', 'a', 'A', '00', 'aa', 'AA', '000', 'aaa', 'AAA', 'A-1', '1.0.0', '#000000', '+4930123456'],
  ...['2026-01-01', '12:00:00', '2026-01-01T12:00:00Z', 'someone@example.com', 'https://example.com'],
  ...['127.0.0.1', '00000000-0000-4000-8000-000000000000'],
];

/** The text that `defineAgent({ answer })` appends to the system text. */
const ASKED = /^\[steploop\] Your answer is read by a program\..*\n(\{.*\})$/m;
const WRAP_UP = '[steploop] Wrap up';

/** The part of JSON Schema that schemas of answers use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

type Named = Readonly<Record<string, Schema>> | undefined;
interface Root extends Schema {
  readonly $defs?: Named;
}

/** The smallest value that fits; its first unconstrained text holds the words. */
function valueFor(schema: Schema, words: Words, named: Named): unknown {
  const ref = schema.$ref && named?.[schema.$ref.replace('#/$defs/', '')];
  if (ref) return valueFor(ref, words, named);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return valueFor(choice, words, named);
  switch (typeof schema.type === 'object' ? schema.type[0] : schema.type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const keys = Object.entries(properties).filter(([key]) => required.includes(key));
      return Object.fromEntries(keys.map(([key, inner]) => [key, valueFor(inner, words, named)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => valueFor(schema.items ?? {}, words, named));
    case 'string':
      return textFor(schema, words);
    case 'integer':
    case 'number': {
      const { minimum = 0, exclusiveMinimum = -1, maximum = Number.POSITIVE_INFINITY } = schema;
      return Math.min(Math.max(0, minimum, exclusiveMinimum + 1), maximum);
    }
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function textFor({ pattern, format, minLength = 0, maxLength }: Schema, words: Words): string {
  if (pattern !== undefined) return matching(pattern, words.known) ?? '';
  if (format === 'uri') return 'https://example.com';
  const text = words.left.slice(0, maxLength).toWellFormed().padEnd(minLength, '.');
  words.left = '';
  return text;
}
