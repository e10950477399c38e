import { readWords } from '../../shared/agent/words/words.ts';

/** Read before anything is tried, so that no step waits for it, and guards can be asked by themselves. */
await readWords();
