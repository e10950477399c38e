/** Everything that guards recognise by words, in one module: see `words.ts`. */
export { announcesAction, asksUser } from './announce/announce.ts';
export { requestedArtifacts } from './asked/artifacts.ts';
export { isInformational } from './asked/asked.ts';
export { endsInSearch, onlyLooks, shellProof } from './shell/proof.ts';
export { readShell } from './shell/read.ts';
