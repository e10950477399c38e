/**
 * The plan of a session is in its messages, so the model's rule needs no memory: `plan look,save|pay|look` is three
 * batches and then an answer.
 */

import type { Step } from '../support/model-server.ts';
import type { AskedModel } from '../support/rule-model.ts';
import { callTools, sayText } from '../support/rule-model.ts';

const TOOLS = ['look', 'save', 'pay', 'haul', 'ship', 'transfer'] as const;

/** The tools among these that must not start twice. */
export const ONCE: readonly string[] = ['pay', 'ship', 'transfer'];

/** A random plan of one to four batches. */
export function somePlan(random: () => number): string {
  const upTo = (n: number) => Math.floor(random() * n);
  const batch = () => Array.from({ length: 1 + upTo(3) }, () => TOOLS[upTo(TOOLS.length)]).join(',');
  return `plan ${Array.from({ length: 1 + upTo(4) }, batch).join('|')}`;
}

/** Follows the newest plan in the conversation: all its batches, then a final word. */
export function followPlan({ messages, n }: AskedModel): Step {
  let batches: string[] = [];
  let done = 0;
  for (const { role, content } of messages) {
    if (role === 'assistant') done += 1;
    for (const block of role === 'user' ? content : []) {
      const plan = block.type === 'text' ? /^plan (.*)$/.exec(String(block.text)) : undefined;
      if (plan?.[1]) {
        batches = plan[1].split('|');
        done = 0;
      }
    }
  }
  const batch = batches[done];
  if (batch) return callTools(...batch.split(',').map((name): [string, unknown] => [name, { n }]));
  return sayText('All ', `${batches.length} batches `, 'are ', `done (${n}).`);
}
