import { isRecord } from '../../agent/plain/merge.ts';
import type { Fields } from '../common/held.ts';
import { strictSchema } from '../openai/answer.ts';

/**
 * The fields that make the Responses API hold a reply to a schema
 * (developers.openai.com/api/docs/guides/structured-outputs): `text.format`, in strict form.
 *
 * @param own the agent's own fields: a format among them is kept
 */
export function answerFields({ text: own }: Fields, schema: Fields): Fields | undefined {
  const text = isRecord(own) ? own : {};
  if ('format' in text) return undefined;
  const strict = strictSchema(schema);
  return (
    strict && {
      text: { ...text, format: { type: 'json_schema', name: 'answer', strict: true, schema: strict } },
    }
  );
}
