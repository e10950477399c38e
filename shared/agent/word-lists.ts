/** All that guards tell by words, in one module: see `words.ts`. */
export { announcesAction, asksUser } from './guardrails/announce/announce.ts';
export { isInformational } from './guardrails/asked/asked.ts';
export { endsInSearch, onlyLooks, shellProof } from './tools/shell/proof.ts';
