import type { Dialect } from '../../agent/define/provider.ts';
import { codeAt } from '../common/failure.ts';
import { objectAt } from '../common/json.ts';
import { openaiErrors } from '../openai/failure.ts';

/** Errors as the Responses API reports them: those of Chat Completions, and some of its own. */
export const responsesErrors: Dialect = {
  ...openaiErrors,
  statusOfEvent(body) {
    const code = codeAt(objectAt(body, 'error'), 'code') ?? '';
    return OF_REQUEST.test(code) ? 400 : openaiErrors.statusOfEvent(body);
  },
  said(answer) {
    const said = openaiErrors.said(answer);
    const thinkingMismatch = said.code === 'invalid_encrypted_content' || ORPHANED.test(said.message);
    return { ...said, ...(thinkingMismatch && { thinkingMismatch }) };
  },
};

/**
 * Codes of a failed response whose request is at fault (`ResponseError` of the SDK). All others are the server's own
 * troubles.
 */
const OF_REQUEST =
  /^(?:invalid_(?:prompt|image|base64|encrypted)|image_|empty_image|unsupported_image|bio_policy|misalignment_policy)/;

/**
 * Reasoning that its server does not take back, since it cannot read it (openai/codex#8119), does not know it
 * (vercel/ai#7543), or misses what belongs to it (vercel/ai#7099, continuedev/continue#11994).
 */
const ORPHANED =
  /^Item with id 'rs_[^']{1,100}' not found|^Item '[^']{1,100}' (?:of type '\w+' )?was provided without its required|^The encrypted content .{1,200}could not be verified/;
