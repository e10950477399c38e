import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PinnedPrice } from '../../shared/agent/session/pinned.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { type Measured, measuredIn } from './measured.ts';

/** Models to choose from. Their prices come from the list that sessions use. */
const MODELS = [
  'claude-sonnet-5-5',
  'claude-opus-5-5',
  'claude-haiku-4-5',
  'gpt-5.5',
  'gpt-5-mini',
  'gemini-3.5-flash',
  'deepseek-chat',
];

export interface Facts {
  readonly measured: Measured;
  readonly models: readonly { readonly name: string; readonly price: PinnedPrice }[];
}

/** The result of `load` in a page. */
export declare const data: Facts;

/** Read by VitePress when it builds, so that no page loads the list of prices. */
export default {
  async load(): Promise<Facts> {
    const page = (name: string) => readFileSync(join(process.cwd(), 'docs', name), 'utf8');
    const models = await Promise.all(MODELS.map(async (name) => ({ name, price: await priceOf(name) })));
    return {
      measured: measuredIn(page('cost.md'), page('speed.md')),
      models: models.flatMap(({ name, price }) => (price ? [{ name, price }] : [])),
    };
  },
};
