import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';
import { type Signed, signedBy } from './kept.ts';
import type { WirePart } from './wire.ts';

/**
 * The stand-in that Gemini takes for a signature, for calls that it has not made itself
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';

interface Signature {
  readonly thoughtSignature?: string;
}

/**
 * A reply as parts, in their order and each with its own signature. Signed parts are neither joined nor moved: a signature
 * belongs to exactly its part (platberlitz/SillyBunny#647). Thoughts without a signature are not sent.
 *
 * @param signs whether the model demands a signature on the first call of a reply
 */
export function fromReply(content: readonly Block[], signs: boolean): WirePart[] {
  let hasCalls = false;
  return content.flatMap((block, at): WirePart[] => {
    switch (block.type) {
      case 'text': {
        const text = String(block.text ?? '');
        return text.trim() === '' ? [] : [{ text, ...signatureFor('text', content[at - 1]) }];
      }
      case 'thinking':
        return thoughtOf(block);
      case 'tool_use': {
        const own = signatureFor('call', content[at - 1]);
        // The model signs only the first of several calls in one reply.
        const needed = signs && !hasCalls && !own.thoughtSignature;
        hasCalls = true;
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

/** The signature of a part, which the block before it keeps. */
const signatureFor = (of: Signed, before: Block | undefined): Signature =>
  before?.type === 'thinking' && signedBy(before) === of ? signatureIn(before) : {};

function thoughtOf(block: Block): WirePart[] {
  const signed = signatureIn(block);
  if (!signed.thoughtSignature) return [];
  const text = String(block.thinking ?? '');
  switch (signedBy(block)) {
    case 'call':
    case 'text':
      return [];
    case 'blank':
      return [{ text, ...signed }];
    default:
      return [{ text, thought: true, ...signed }];
  }
}

/** Bytes as base64: anything else is refused with the whole request (vertesia/llumiverse#470). */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

const signatureIn = ({ signature }: Block): Signature =>
  typeof signature === 'string' && BASE64.test(signature) ? { thoughtSignature: signature } : {};
