/** Invariants 51 to 53: shapes do what they say, whichever worker dies (docs/shapes.md). */

import type { Session } from '../../../shared/agent/session/session.ts';
import type { Slot, ToolResult, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import type { Checks } from '../ledger.ts';
import { SHAPE_AGENT } from '../shapes.ts';
import type { World } from '../world.ts';
import { type Committed, toolSlots } from './commits.ts';

/** Much longer than any repair of a lost message takes, in ms. */
const LATE_MS = 1_800_000;

const isLost = ({ content }: ToolResult): boolean => content.includes('another agent has answered first');
const isGood = ({ outcome }: ToolResult): boolean => outcome === 'ok';

export const shapeCommitChecks: Checks<Committed> = {
  '55 a race is lost only to a good answer': ({ slots }) => {
    const batch = toolSlots(slots).find(({ results }) => results.some(isLost) && !results.some(isGood));
    return batch && `slot ${batch.n} has lost calls, and no good answer`;
  },

  '55 a good answer ends the race': ({ facts, slots, before, now }) => {
    if (!before.session.batch?.waits.some(({ races }) => races)) return undefined;
    const late = toolSlots(slots)
      .flatMap(({ results }) => results.filter(isGood))
      .find(({ callId }) => {
        const answeredAt = facts.answeredAt.get(callId);
        // A purge may take the message that would have told it.
        return answeredAt !== undefined && answeredAt > facts.purgedAt && now - answeredAt > LATE_MS;
      });
    return late && !facts.purged ? `${late.callId} had answered long ago` : undefined;
  },
};

/** At rest: each shape that has completed reports what its agents have answered. */
export function checkShapes(world: World): void {
  const { ledger, memory, workload } = world;
  if (!workload.shape) return;
  for (const { session } of memory.table.heads.values()) {
    if (session.agent !== SHAPE_AGENT) continue;
    const stored = ledger.facts(session.key).stored.slice(0, session.version);
    const wrong = wrongIn(workload.shape, session, stored);
    if (wrong) ledger.violate(wrong.invariant, `${session.key.sessionId}: ${wrong.what}`);
  }
}

interface Wrong {
  readonly invariant: string;
  readonly what: string;
}

function wrongIn(
  shape: NonNullable<World['workload']['shape']>,
  { state, lastEnding }: Session,
  stored: readonly Slot[],
): Wrong | undefined {
  const results = stored
    .filter((slot): slot is ToolsSlot => slot.kind === 'tools')
    .flatMap((slot) => slot.results);
  const places = results.map(({ callId }) => placeIn(callId));
  const twice = places.find((place, i) => places.indexOf(place) !== i);
  if (twice !== undefined)
    return { invariant: '54 each part of a shape is asked once', what: `part ${twice} was asked again` };
  const good = results.filter(isGood);
  if (shape === 'race' && lastEnding?.message.includes('no_answer') && good.length > 0)
    return { invariant: '55 a race that is won does not fail', what: `${good[0]?.callId} had answered` };
  if (state !== 'completed') return undefined;
  const text = reportIn(stored);
  switch (shape) {
    case 'map':
      return mapped(text, results, tasksOf(stored));
    case 'race':
      return text === good[0]?.content
        ? undefined
        : { invariant: '55 a race has one winner', what: `${text} is not the answer of ${good[0]?.callId}` };
    case 'pipeline':
    case 'vote':
      return text === good.at(-1)?.content
        ? undefined
        : { invariant: '56 the last answer is the report', what: `${text} is not ${good.at(-1)?.content}` };
    case 'parallel': {
      const missing = good.find(({ content }) => !text.includes(JSON.stringify(content)));
      return missing && { invariant: '56 a report has all answers', what: `${missing.callId} is missing` };
    }
    default:
      return shape satisfies never;
  }
}

/** A report of a map has one entry for each item, in order: its answer, if there is one. */
function mapped(text: string, results: readonly ToolResult[], items: number): Wrong | undefined {
  const invariant = '56 a map reports each item';
  const { results: entries }: { results: { answer?: string; error?: string }[] } = JSON.parse(text);
  if (entries.length !== items) return { invariant, what: `${entries.length} of ${items}` };
  for (const [place, { answer, error }] of entries.entries()) {
    const result = results.find(({ callId }) => placeIn(callId) === place);
    if (result && isGood(result) ? answer !== result.content : error === undefined)
      return { invariant, what: `item ${place} is ${answer ?? error}, and ${result?.content} came` };
    if (!result && !error?.includes('Not done') && !results.some(({ outcome }) => outcome === 'refused'))
      return { invariant, what: `item ${place} was never given to an agent` };
  }
  return undefined;
}

const placeIn = (callId: string): number => Number(callId.slice(callId.lastIndexOf('_') + 1));

/** Items of the list that it was given. */
function tasksOf(stored: readonly Slot[]): number {
  const [first] = stored;
  const text = first?.kind === 'model' ? (first.input[0]?.text ?? '{}') : '{}';
  return (JSON.parse(text) as { items?: unknown[] }).items?.length ?? 0;
}

function reportIn(stored: readonly Slot[]): string {
  const last = stored.findLast((slot) => slot.kind === 'model' && slot.reply);
  const block = last?.kind === 'model' ? last.reply?.content.find(({ type }) => type === 'text') : undefined;
  return String(block?.text ?? '');
}
