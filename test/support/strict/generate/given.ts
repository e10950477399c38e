import type { Fields } from '../rule.ts';
import { contentsOf } from './read.ts';

/** A Gemini server's memory of the parts that it has signed. */
export interface GivenSignatures {
  /** Records the parts of a reply to this request. */
  took(body: Fields, parts: readonly Fields[]): void;
  /**
   * The signature that it gave with this part; undefined if it has not signed it in a conversation that began like this one:
   * after a compaction, a client has the reasoning no more.
   */
  signatureOf(body: Fields, part: Fields): string | undefined;
  /** Whether it has given this signature with this part. */
  gave(part: Fields): boolean;
}

export function givenSignatures(): GivenSignatures {
  const given = new Map<string, string>();
  const signed = new Set<string>();
  return {
    took(body, parts) {
      for (const part of parts) {
        const { thoughtSignature } = part;
        if (typeof thoughtSignature !== 'string') continue;
        given.set(beginningOf(body) + nameOf(part), thoughtSignature);
        signed.add(`${thoughtSignature} ${nameOf(part)}`);
      }
    },
    signatureOf: (body, part) => given.get(beginningOf(body) + nameOf(part)),
    gave: (part) => signed.has(`${part.thoughtSignature} ${nameOf(part)}`),
  };
}

const beginningOf = (body: Fields): string => JSON.stringify(contentsOf(body)[0]);

/** A part without its signature. */
const nameOf = ({ text, thought, functionCall }: Fields): string =>
  JSON.stringify([text, thought === true, functionCall]);
