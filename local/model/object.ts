/** How the rule-based model answers where an object is asked for: what it would say stands in the first text of it. */

import { type Answer, type Conversation, isSaid } from './conversation.ts';

/** The answer as the object that the agent declares; as it is where the work goes on, or none is asked for. */
export function asObject(answer: Answer, { system, turns }: Conversation): Answer {
  const schema = ASKED.exec(system)?.[1];
  const last = turns.findLast((turn) => turn.kind === 'user' && !isSaid(turn.text));
  if (!schema || answer.calls.length > 0 || (last?.kind === 'user' && last.text.startsWith(WRAP_UP)))
    return answer;
  const words = { left: answer.text };
  return { text: JSON.stringify(valueFor(JSON.parse(schema) as Schema, words) ?? {}), calls: [] };
}

/** What `defineAgent({ answer })` puts at the end of the system text. */
const ASKED = /^\[steploop\] Your answer is read by a program\..*\n(\{.*\})$/m;
const WRAP_UP = '[steploop] Wrap up';

/** As much of JSON Schema as schemas of answers are made of. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The least value that fits; the first text in it has the words. */
function valueFor(schema: Schema, words: { left: string }): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return valueFor(choice, words);
  switch (typeof schema.type === 'object' ? schema.type[0] : schema.type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const keys = Object.entries(properties).filter(([key]) => required.includes(key));
      return Object.fromEntries(keys.map(([key, inner]) => [key, valueFor(inner, words)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => valueFor(schema.items ?? {}, words));
    case 'string': {
      const text = words.left
        .slice(0, schema.maxLength)
        .toWellFormed()
        .padEnd(schema.minLength ?? 0, '.');
      words.left = '';
      return text;
    }
    case 'integer':
    case 'number':
      return Math.min(Math.max(0, schema.minimum ?? 0), schema.maximum ?? Number.POSITIVE_INFINITY);
    case 'boolean':
      return false;
    default:
      return null;
  }
}
