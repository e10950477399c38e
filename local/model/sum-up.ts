/** How the rule-based model handles a compaction: it keeps the user's messages. */

import { type Answer, type Conversation, isSaid } from './conversation.ts';

/** The requested summary; undefined if none is requested. */
export function sumUp({ turns }: Conversation): Answer | undefined {
  const last = turns.at(-1);
  const most = last?.kind === 'user' ? ASKED.exec(last.text)?.[1] : undefined;
  if (!most) return undefined;
  const said = turns.flatMap((turn) => (turn.kind === 'user' && isSaid(turn.text) ? [turn.text] : []));
  const [task = 'nothing', ...more] = [...new Set(said)];
  const text = [`Task: ${task}`, ...more.map((one) => `Also asked: ${one}`)].join('\n');
  return { text: text.slice(0, Number(most)), calls: [] };
}

const ASKED = /^\[steploop\] Context: .* at most (\d+) characters/s;
