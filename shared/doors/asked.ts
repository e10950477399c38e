import { isForPeople } from '../agent/session/waits.ts';
import type { WaitInfo } from '../contract/http.ts';

/** The waits that a person may decide. */
export const askedOf = ({ waits }: { readonly waits: readonly WaitInfo[] }): WaitInfo[] =>
  waits.filter(isForPeople);
