/** The plan of a thread of the soak. It is in its messages, so the model needs no memory. */

import type { Clock } from '../../../shared/agent/ports/ports.ts';
import type { Provider } from '../../../shared/agent/ports/provider.ts';
import { calls, reply } from '../../../testing/scripted-model.ts';
import type { Random } from '../../sim/random.ts';

export interface Plan {
  /** Unique in a soak. */
  readonly n: number;
  /** `approve`: it asks before it answers. `stop`: a person stops it. */
  readonly kind: 'answer' | 'approve' | 'stop';
  readonly script: keyof typeof sentences;
  /** Characters of the answer. */
  readonly length: number;
  /** Number of pieces in which it is streamed, and the time for each, in ms. */
  readonly pieces: number;
  readonly paceMs: number;
}

const sentences = {
  russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю.',
  chinese: '我能吞下玻璃而不伤身体。天地玄黄，宇宙洪荒，日月盈昃。',
  arabic: 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر.',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 “It’s here”—é́—‘there’…',
  html: '<p class="a">a && b</p><br/> & x > y;',
};

export const somePlan = (n: number, random: Random): Plan => ({
  n,
  kind: random.pick(['answer', 'answer', 'answer', 'approve', 'stop'] as const),
  script: random.pick(Object.keys(sentences) as Plan['script'][]),
  length: random.chance(0.4) ? random.between(4_000, 20_000) : Math.round(random.scale(10, 20_000)),
  pieces: random.between(1, 30),
  paceMs: random.between(100, 1_500),
});

/** The model's answer. */
export function answerTo({ n, script, length }: Plan): string {
  let text = '';
  for (let i = 0; text.length < length; i++)
    text += `${n}.${i} ${sentences[script]}${i % 9 === 8 ? '\n\n' : ' '}`;
  return text.slice(0, length).toWellFormed().trimEnd();
}

export const promptOf = (plan: Plan): string => `plan ${JSON.stringify(plan)} end`;

function planIn(texts: readonly string[]): Plan {
  const found = texts
    .join('\n')
    .match(/plan (\{.*?\}) end/g)
    ?.at(-1);
  return JSON.parse(found?.slice('plan '.length, -' end'.length) ?? 'null');
}

/**
 * Follows the newest plan in the conversation.
 * @param onSaid is called with every answer that was completed
 */
export const planModel = (clock: () => Clock, onSaid: (text: string) => void): Provider => ({
  async complete({ messages }, onDelta, signal) {
    const plan = planIn(
      messages.flatMap(({ content }) => content.map((block) => ('text' in block ? String(block.text) : ''))),
    );
    const last = messages.at(-1)?.content ?? [];
    if (plan.kind === 'approve' && !last.some(({ type }) => type === 'tool_result'))
      return calls(['pay', { n: plan.n }]);
    const text = answerTo(plan);
    const size = Math.ceil(text.length / plan.pieces);
    let said = '';
    while (said.length < text.length && !signal.aborted) {
      await clock().sleep(plan.paceMs, signal);
      if (signal.aborted) break;
      const piece = text.slice(said.length, said.length + size);
      said += piece;
      onDelta({ kind: 'text', text: piece });
    }
    const stop = said.length < text.length ? 'interrupted' : 'end_turn';
    if (stop === 'end_turn') onSaid(said);
    return reply({ stop, content: said === '' ? [] : [{ type: 'text', text: said }] });
  },
});
