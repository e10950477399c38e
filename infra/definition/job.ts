import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import type { Bundles } from '../bundle.ts';

/** What the process that loads a definition is asked for. */
export interface Job {
  /** Absolute path of the definition. */
  readonly definition: string;
  /** An empty folder for everything that it writes. */
  readonly folder: string;
  /** Whether to bundle the functions. */
  readonly bundles: boolean;
  /** Whether the console is among them. */
  readonly console: boolean;
}

export type Result = Prepared | { readonly wrong: string };

export interface Prepared {
  readonly facts: DeploymentFacts;
  /** Of the functions that the definition needs; none when not asked for. */
  readonly bundles: Bundles;
}
