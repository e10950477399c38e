/** Invariant 33: what was saved is remembered, once, and by whoever it was saved for. */

import { factsOf } from '../facts.ts';
import type { Checks, Ledger } from '../ledger.ts';

/** What a memory holds, or what was found in it. */
export interface Remembered {
  /** Whose it is. */
  readonly owners: readonly string[];
  /** What was told before that it is kept. */
  readonly told: readonly string[];
  readonly texts: readonly string[];
  readonly ledger: Pick<Ledger, 'memories'>;
}

export const factChecks: Checks<Remembered> = {
  '33 what is told as kept is remembered': ({ owners, told, texts }) => {
    const lost = told.find((text) => !texts.includes(text));
    return lost && `${owners.join()}: "${lost}" is in none of ${texts.join(' | ')}`;
  },

  '33 what is remembered was saved, and for them': ({ owners, texts, ledger }) => {
    const other = texts.find((text) => !owners.some((owner) => factsOf(ledger, owner).has(text)));
    return other && `${owners.join()} have "${other}"`;
  },

  '33 a fact is remembered once': ({ owners, texts }) => {
    const twice = texts.find((text, i) => texts.indexOf(text) !== i);
    return twice && `${owners.join()} have "${twice}" twice`;
  },
};
