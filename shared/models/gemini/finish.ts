import { type Json, stringAt } from '../common/json.ts';

/**
 * Why a reply ended, in the words of the Messages API (ai.google.dev/api/generate-content#FinishReason). Reasons that are
 * not known keep their name.
 *
 * @param hasCalls whether the reply has calls: Gemini stops with `STOP` then too
 */
export function stopOf(reason: string, candidate: Json, hasCalls: boolean): Json {
  switch (reason) {
    case 'STOP':
      return { stop_reason: hasCalls ? 'tool_use' : 'end_turn' };
    case 'MAX_TOKENS':
      return { stop_reason: 'max_tokens' };
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
    case 'IMAGE_SAFETY':
    case 'IMAGE_PROHIBITED_CONTENT':
    case 'IMAGE_RECITATION':
      return refusal(reason);
    default:
      return { stop_reason: reason, stop_details: { message: stringAt(candidate, 'finishMessage') } };
  }
}

export const refusal = (category: string): Json => ({ stop_reason: 'refusal', stop_details: { category } });
