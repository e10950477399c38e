import { toStrictJsonSchema } from 'openai/lib/transform';
import { type Fields, tried } from '../common/held.ts';

/**
 * The fields that make Chat Completions hold a reply to a schema (platform.openai.com/docs/guides/structured-outputs).
 * `response_format` applies to the content, and works together with tool calls and with streams. In strict mode every
 * property is required, and objects are closed: the SDK's own transformation ensures that, or throws if it would change
 * what the schema means.
 *
 * @param own the agent's own fields: a format among them is kept
 */
export function answerFields(own: Fields, schema: Fields): Fields | undefined {
  if ('response_format' in own) return undefined;
  const strict = strictSchema(schema);
  return (
    strict && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: strict } },
    }
  );
}

/** The schema in strict form; undefined if it would mean something else there. */
export const strictSchema = ({ $schema: _, ...schema }: Fields): Fields | undefined =>
  tried(() => ({ ...toStrictJsonSchema(schema) }));
