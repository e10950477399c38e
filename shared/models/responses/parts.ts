import { isObject, type Json, stringAt } from '../common/json.ts';

/** The parts of an item's content. */
export const partsIn = ({ content }: Json): readonly Json[] =>
  Array.isArray(content) ? content.filter(isObject) : [];

/** The text of a message. */
export const textIn = (item: Json): string =>
  item.type === 'message' ? joined(partsIn(item), 'output_text', 'text', '') : '';

export const refusalIn = (parts: readonly Json[]): string => joined(parts, 'refusal', 'refusal', '');

/**
 * The thinking of an item, and the field in which it stands. OpenAI sends a summary beside the encrypted form; servers of
 * open models send the text itself.
 */
export function thoughtIn(item: Json): { readonly thinking: string; readonly as: 'summary' | 'content' } {
  if (item.type !== 'reasoning') return { thinking: '', as: 'summary' };
  const summary = Array.isArray(item.summary) ? item.summary.filter(isObject) : [];
  const told = joined(summary, 'summary_text', 'text', '\n\n');
  const content = joined(partsIn(item), 'reasoning_text', 'text', '\n\n');
  const isEncrypted = stringAt(item, 'encrypted_content') !== undefined;
  return content === '' || (isEncrypted && told !== '')
    ? { thinking: told, as: 'summary' }
    : { thinking: content, as: 'content' };
}

const joined = (parts: readonly Json[], type: string, key: string, between: string): string =>
  parts.flatMap((part) => (part.type === type ? (stringAt(part, key) ?? []) : [])).join(between);
