import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { isRecord } from '../../agent/plain/merge.ts';
import { type Fields, tried } from '../common/held.ts';

/**
 * The fields that make the Messages API hold a reply to a schema
 * (platform.claude.com/docs/en/build-with-claude/structured-outputs). `output_config.format` applies to the model's
 * text, not to thinking and tool calls. It works together with both, with streams, and with the prompt cache as long as
 * the schema stays the same. It does not work with citations, nor with a prefilled reply: so a reply that was cut
 * cannot be continued there. Objects must be closed. The SDK's own transformation closes them, and moves constraints
 * that the API does not take (`minimum`, `maxLength`, …) into descriptions.
 *
 * @param own the agent's own fields: a format among them is kept
 */
export function answerFields({ output_config: own }: Fields, schema: Fields): Fields | undefined {
  const config = isRecord(own) ? own : {};
  if ('format' in config || hasOpenObject(schema)) return undefined;
  const closed = tried(() => transformJSONSchema(schema));
  return closed && { output_config: { ...config, format: { type: 'json_schema', schema: closed } } };
}

/** Whether some object has keys that are not known beforehand (a record): if it were closed, it could only be empty. */
function hasOpenObject(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasOpenObject);
  if (!isRecord(schema)) return false;
  const { additionalProperties: more } = schema;
  return (more !== undefined && more !== false) || Object.values(schema).some(hasOpenObject);
}
