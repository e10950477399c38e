import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import type { Bundles } from '../bundle.ts';

/** The job of the process that loads a definition. */
export interface Job {
  /** Absolute path of the definition. */
  readonly definition: string;
  /** An empty folder for everything that it writes. */
  readonly folder: string;
  /** Whether to bundle the functions. */
  readonly bundles: boolean;
  /** Whether one build bundles all functions, which is faster and makes cold starts slower. */
  readonly together: boolean;
  /** Whether to include the console. */
  readonly console: boolean;
}

export type Result = Prepared | { readonly wrong: string };

export interface Prepared {
  readonly facts: DeploymentFacts;
  /** Bundles of the functions that the definition needs; empty if `bundles` is false. */
  readonly bundles: Bundles;
}
