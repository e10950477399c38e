import type { Block } from '../../agent/session/slots.ts';
import { resultText } from '../openai/seen.ts';
import { isInline, mediaIn } from './media.ts';
import type { FunctionResponse, WirePart } from './wire.ts';

export interface CallOf {
  readonly name: string;
  /** The id that the model gave the call; empty if it gave none. */
  readonly id: string;
  /** Whether the model reads media in a response. */
  readonly nests: boolean;
}

/**
 * A result as the response of its function. The text stays a text: in an object of JSON the API reads `$ref` as the name
 * of a file, and refuses the request (vercel/ai#14369).
 *
 * @returns `after` has the media for a model that reads none in a response: it refuses `parts` (NousResearch/hermes-agent#96466)
 */
export function responseOf(
  block: Block,
  { name, id, nests }: CallOf,
): { readonly response: FunctionResponse; readonly after: readonly WirePart[] } {
  const blocks = Array.isArray(block.content) ? (block.content as readonly Block[]) : [];
  const media = blocks.flatMap(mediaIn);
  const files = media.filter(isInline);
  const texts = media.flatMap((medium) => (isInline(medium) ? [] : [medium.text]));
  const text = [resultText(block), ...texts].filter((one) => one !== '').join('\n');
  const response = {
    ...(id !== '' && { id }),
    name,
    response: block.is_error === true ? { error: text } : { output: text },
    ...(nests && files.length > 0 && { parts: files }),
  };
  const after =
    nests || files.length === 0 ? [] : [{ text: `The files in the result of ${name}:` }, ...files];
  return { response, after };
}
