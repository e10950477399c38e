import { createHash, timingSafeEqual } from 'node:crypto';
import type { VerifyTools } from '../../shared/agent/define/webhook-verify.ts';

/** The tools that functions of a source get with the request. */
export const toolsWith = (secrets: readonly string[]): VerifyTools => ({ secrets, isSame });

/** Compares hashes, which have the same length, so that no length is told by the time. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
