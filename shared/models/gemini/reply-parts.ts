import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';
import { type Kept, keptOf } from './kept.ts';
import type { WirePart } from './wire.ts';

/**
 * The stand-in that Gemini takes for a signature, for calls that it has not made itself
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * A reply as parts, in their order and each with its own signature. Signed parts are neither joined nor moved: a signature
 * belongs to exactly its part (platberlitz/SillyBunny#647). Thoughts without a signature are not sent.
 *
 * @param signs whether the model demands a signature on the first call of a reply
 */
export function fromReply(content: readonly Block[], signs: boolean): WirePart[] {
  let isFirst = true;
  return content.flatMap((block): WirePart[] => {
    switch (block.type) {
      case 'text': {
        const text = String(block.text ?? '');
        const signed = signatureIn(keptOf(block));
        return text.trim() === '' && !signed.thoughtSignature ? [] : [{ text, ...signed }];
      }
      case 'thinking':
        return thoughtOf(block);
      case 'tool_use': {
        const own = signatureIn(keptOf(block));
        // The model signs only the first of several calls in one reply.
        const needed = signs && isFirst && !own.thoughtSignature;
        isFirst = false;
        const { id } = givenOf(block);
        const functionCall = {
          ...(typeof id === 'string' && id !== '' && { id }),
          name: String(block.name),
          args: block.input ?? {},
        };
        return [{ functionCall, ...(needed ? { thoughtSignature: NO_SIGNATURE } : own) }];
      }
      default:
        return [];
    }
  });
}

function thoughtOf(block: Block): WirePart[] {
  const { signature } = block;
  const signed = signatureIn({ ...(typeof signature === 'string' && { thoughtSignature: signature }) });
  if (!signed.thoughtSignature) return [];
  const text = String(block.thinking ?? '');
  return [keptOf(block).isText ? { text, ...signed } : { text, thought: true, ...signed }];
}

/** Bytes as base64: anything else is refused with the whole request (vertesia/llumiverse#470). */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

const signatureIn = ({ thoughtSignature }: Kept): Pick<Kept, 'thoughtSignature'> =>
  typeof thoughtSignature === 'string' && BASE64.test(thoughtSignature) ? { thoughtSignature } : {};
