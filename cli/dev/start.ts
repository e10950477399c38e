/** The options of a start of `steploop dev`. */

import type { Closing } from '../../local/closing.ts';
import type { Log } from '../../local/log.ts';
import type { DevOptions } from './options.ts';
import type { Project } from './project.ts';

export interface Start {
  readonly options: DevOptions;
  readonly project: Project;
  readonly log: Log;
  readonly closing: Closing;
  /** A temporary folder, removed at the end. */
  readonly scratch: string;
}
