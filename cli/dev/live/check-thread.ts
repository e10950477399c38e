/** The thread in which a definition is checked. */

import { parentPort, workerData } from 'node:worker_threads';
import { wrongImport } from '../../../infra/definition/place.ts';
import type { DeploymentFacts } from '../../../shared/contract/facts.ts';

/** A built definition, and the module that describes it. */
export interface CheckedDefinition {
  /** file:// URL of its module. */
  readonly url: string;
  /** file:// URL of the module that exports `describeExport`. */
  readonly facts: string;
  /** Path of its source. */
  readonly definition: string;
}

export type Checked = { readonly facts: DeploymentFacts } | { readonly wrong: string };

process.setSourceMapsEnabled(true);

const { describeExport } = await import(workerData);

parentPort?.once('message', async ({ url, definition }: CheckedDefinition) =>
  parentPort?.postMessage(await checked(url, definition)),
);

async function checked(url: string, definition: string): Promise<Checked> {
  try {
    const { default: exported } = await import(url);
    // As plain JSON, as a deploy has it as well.
    return { facts: JSON.parse(JSON.stringify(describeExport(exported))) };
  } catch (error) {
    return { wrong: wrongImport(error, definition) };
  }
}
