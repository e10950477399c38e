/** Progress of a run: one line that is redrawn in a terminal, and a line for each case elsewhere. */

import { dollars } from '../../local/amounts.ts';
import { printable } from '../../local/printable.ts';
import type { CaseResult } from '../../testing/evals/result.ts';

export interface Progress {
  /** A case is over; `usd` is the total cost so far. */
  readonly told: (result: CaseResult, usd: number) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** @param redraws whether the output is a terminal, whose lines can be redrawn */
export function progress(of: number, redraws: boolean, write: (text: string) => void): Progress {
  let done = 0;
  let failed = 0;
  return {
    told({ id, passed }, usd) {
      done += 1;
      failed += passed ? 0 : 1;
      if (redraws) write(`\r\u001b[K${done} of ${of} played, ${failed} failed, ${dollars(usd)}`);
      else write(`${passed ? 'passed' : 'failed'}  ${printable(id)}\n`);
    },
    end: () => redraws && write('\r\u001b[K'),
  };
}
