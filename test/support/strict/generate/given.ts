import type { Fields } from '../rule.ts';

/** A Gemini server's memory of the parts that it has signed. */
export interface GivenSignatures {
  /** Records the parts of a reply. */
  took(parts: readonly Fields[]): void;
  /** The signature that it gave with this part; undefined if it has not signed it. */
  signatureOf(part: Fields): string | undefined;
  /** Whether it has given this signature with this part. */
  gave(part: Fields): boolean;
}

export function givenSignatures(): GivenSignatures {
  const given = new Map<string, string>();
  const signed = new Set<string>();
  return {
    took(parts) {
      for (const part of parts) {
        const { thoughtSignature } = part;
        if (typeof thoughtSignature !== 'string') continue;
        given.set(nameOf(part), thoughtSignature);
        signed.add(`${thoughtSignature} ${nameOf(part)}`);
      }
    },
    signatureOf: (part) => given.get(nameOf(part)),
    gave: (part) => signed.has(`${part.thoughtSignature} ${nameOf(part)}`),
  };
}

/** A part without its signature. */
const nameOf = ({ text, thought, functionCall }: Fields): string =>
  JSON.stringify([text, thought === true, functionCall]);
