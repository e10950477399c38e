/** Invariant 33: a saved fact is remembered, once, and by the owner that it was saved for. */

import { factsOf } from '../facts.ts';
import type { Checks, Ledger } from '../ledger.ts';

/** The contents of a memory, or the result of a search in it. */
export interface Remembered {
  /** Its owners. */
  readonly owners: readonly string[];
  /** The facts that were reported as kept before. */
  readonly told: readonly string[];
  readonly texts: readonly string[];
  readonly ledger: Pick<Ledger, 'memories'>;
}

export const factChecks: Checks<Remembered> = {
  '33 a fact that is reported as kept is remembered': ({ owners, told, texts }) => {
    const lost = told.find((text) => !texts.includes(text));
    return lost && `${owners.join()}: "${lost}" is in none of ${texts.join(' | ')}`;
  },

  '33 every remembered fact was saved, and for this owner': ({ owners, texts, ledger }) => {
    const other = texts.find((text) => !owners.some((owner) => factsOf(ledger, owner).has(text)));
    return other && `${owners.join()} have "${other}"`;
  },

  '33 a fact is remembered once': ({ owners, texts }) => {
    const twice = texts.find((text, i) => texts.indexOf(text) !== i);
    return twice && `${owners.join()} have "${twice}" twice`;
  },
};
