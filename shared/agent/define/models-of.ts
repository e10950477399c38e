import type { Agent } from './agent.ts';
import { modelsNamed } from './pin.ts';

/** Every model that these agents may ask, with those that a run chooses among, fallbacks, summarizers and judges. */
export const modelsOf = (agents: readonly Pick<Agent, 'model' | 'models' | 'prices'>[]) =>
  agents.flatMap(({ model, models, prices }) =>
    [model, ...models].flatMap((one) => modelsNamed({ model: one, prices })),
  );
