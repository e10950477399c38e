/** The plan of a message of the soak, which the model follows. It is in the message, so the model needs no memory. */

import type { ModelRequest, Provider } from '../../../shared/agent/ports/provider.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import type { Random } from '../../sim/random.ts';

/** The tool that pages carry out. */
export const TOOL = 'paint';

export interface Plan {
  /** Unique in a soak. */
  readonly n: number;
  /** Number of calls in each batch, in order. */
  readonly batches: readonly number[];
}

export const somePlan = (n: number, random: Random): Plan => ({
  n,
  batches: Array.from({ length: random.between(1, 3) }, () => random.between(1, 3)),
});

export const promptOf = (plan: Plan): string => `plan ${JSON.stringify(plan)} end`;

/** The argument that names a call. */
export const callNames = ({ n, batches }: Plan): string[][] =>
  batches.map((many, batch) => Array.from({ length: many }, (_, i) => `${n}.${batch}.${i}`));

type Message = ModelRequest['messages'][number];
const textOf = ({ content }: Message) =>
  content.map((block) => ('text' in block ? String(block.text) : '')).join('\n');

/** Follows the newest plan in the conversation: makes the calls of its batches, and then says that it is done. */
export const planModel: Provider = {
  async complete({ messages }, onDelta) {
    const at = messages.findLastIndex((message) => /plan \{/.test(textOf(message)));
    const said = messages[at]?.content.map((block) => ('text' in block ? String(block.text) : '')).join('\n');
    const plan: Plan = JSON.parse(
      said
        ?.match(/plan (\{.*?\}) end/g)
        ?.at(-1)
        ?.slice('plan '.length, -' end'.length) ?? '',
    );
    const made = messages
      .slice(at)
      .filter(({ content }) => content.some(({ type }) => type === 'tool_use')).length;
    const next = callNames(plan)[made];
    if (next) return calls(...next.map((call): [string, object] => [TOOL, { call }]));
    onDelta({ kind: 'text', text: `done ${plan.n}` });
    return says(`done ${plan.n}`);
  },
};
