/** Rules of thought signatures, which models since Gemini 3 demand. */

import { type Fields, firstOf, isFields, type Rule } from '../rule.ts';
import type { GivenSignatures } from './given.ts';
import { contentsOf, partsOf, placedIn } from './read.ts';

/** The stand-in that Google documents for calls that Gemini has not made. */
const STAND_IN = 'skip_thought_signature_validator';

const missing = (call: Fields, content: number): string =>
  `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.name}\` , position ${content + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;

export const signatureRules: readonly Rule<GivenSignatures>[] = [
  {
    name: 'a signature is base64',
    source: 'https://github.com/vertesia/llumiverse/pull/470',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ part: { thoughtSignature: signature }, at }) =>
        signature === undefined || /^[A-Za-z0-9+/_-]+={0,2}$/.test(String(signature))
          ? undefined
          : `Invalid value at '${at}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${signature}"`,
      ),
  },
  {
    name: 'in the turn that goes on, the first call of each step is signed',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    check({ body }) {
      const contents = contentsOf(body);
      const turn = contents.findLastIndex(
        (content) =>
          content.role === 'user' && partsOf(content).some((part) => !('functionResponse' in part)),
      );
      return firstOf(contents, (content, at) => {
        const first = partsOf(content).find((part) => 'functionCall' in part);
        return at > turn && isFields(first?.functionCall) && !first.thoughtSignature
          ? missing(first.functionCall, at)
          : undefined;
      });
    },
  },
  {
    name: 'a signature comes back on the part that it came with',
    source: 'https://github.com/platberlitz/SillyBunny/pull/647',
    check: ({ body, given }) =>
      given &&
      firstOf(placedIn(body), ({ part }) =>
        part.thoughtSignature === undefined || part.thoughtSignature === STAND_IN || given.gave(part)
          ? undefined
          : 'Corrupted thought signature.',
      ),
  },
  {
    name: 'a signed call comes back with its signature',
    source: 'https://github.com/xesws/socrates-pen/releases/tag/0.23.1',
    check: ({ body, given }) =>
      firstOf(contentsOf(body), (content, at) =>
        firstOf(partsOf(content), (part) =>
          isFields(part.functionCall) &&
          given?.signatureOf(body, part) !== undefined &&
          (part.thoughtSignature === undefined || part.thoughtSignature === STAND_IN)
            ? missing(part.functionCall, at)
            : undefined,
        ),
      ),
  },
];
