/** What a start of `steploop dev` is made with. */

import type { Closing } from '../../local/closing.ts';
import type { Log } from '../../local/log.ts';
import type { DevOptions } from './options.ts';
import type { Project } from './project.ts';

export interface Start {
  readonly options: DevOptions;
  readonly project: Project;
  readonly log: Log;
  readonly closing: Closing;
  /** A folder that goes at the end. */
  readonly scratch: string;
}
