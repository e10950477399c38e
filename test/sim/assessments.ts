/** The simulated model's answer to the question whether a run makes progress, and the simulator's own records of it. */

import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import { type Finding, findings } from '../../shared/agent/session/assessment.ts';
import type { Reply } from '../../shared/agent/session/reply.ts';
import type { SessionFacts } from './ledger.ts';
import type { Base } from './replies.ts';
import type { World } from './world.ts';

/** An assessment that a model has sold. */
export interface ServedAssessment {
  readonly finding: Finding;
  readonly input: number;
  readonly output: number;
  /** See `ServedReply`. */
  readonly lost: number;
}

export const isAssessmentAsk = ({ system }: Pick<ModelRequest, 'system'>): boolean =>
  system.startsWith('You assess whether an agent still makes progress.');

/** A finding, mostly that the run is stuck, or prose without one. */
export function assess({ scheduler: { random } }: World, base: Base): Reply {
  const finding = random.pick(['stuck', 'stuck', 'stuck', 'going_on', 'done', 'prose']);
  const text = finding === 'prose' ? 'It is stuck.' : JSON.stringify({ finding, why: 'It looks so.' });
  return { ...base, stop: 'end_turn', content: [{ type: 'text', text }], calls: [] };
}

/** Records an answer. One that was cut has no finding. */
export function noteAssessment(
  { served }: SessionFacts,
  messageId: string,
  { content, usage, stop }: Reply,
  lost: number,
): void {
  const text = content.map((block) => String(block.text ?? '')).join('');
  const said = stop === 'end_turn' ? /"finding":"(\w+)"/.exec(text)?.[1] : undefined;
  const finding = findings.find((one) => one === said) ?? 'unclear';
  served.assessments.set(messageId, { finding, input: usage.input, output: usage.output, lost });
}
