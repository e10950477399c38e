import { isRecord } from '../../agent/plain/merge.ts';
import type { Fields } from '../common/held.ts';
import { withoutReferences } from './schema.ts';

/** Fields by which an agent sets a form of its own. */
const OWN = ['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseFormat'];

/**
 * The fields that make Gemini hold a reply to a schema (ai.google.dev/gemini-api/docs/structured-output). Models before
 * Gemini 3 refuse them beside functions.
 *
 * @param own the agent's own fields: a form among them is kept
 */
export function answerFields({ generationConfig: own }: Fields, schema: Fields): Fields | undefined {
  const config = isRecord(own) ? own : {};
  if (OWN.some((field) => field in config)) return undefined;
  const form = { responseMimeType: 'application/json', responseJsonSchema: withoutReferences(schema) };
  return { generationConfig: { ...config, ...form } };
}
