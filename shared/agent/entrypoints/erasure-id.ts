import { hash } from '../plain/hash.ts';
import type { Person } from './people.ts';

/** Names a person's deletion in the log, which outlives their data: the same for each of their deletions. */
export const erasureIdOf = ({ tenant, user }: Person): string => hash(JSON.stringify([tenant, user]), 16);
