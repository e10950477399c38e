import type { PresetName } from '../../../shared/agent/config/presets.ts';
import { type WatchedStep, watch } from '../../../shared/agent/replay/replay.ts';
import { underPreset } from '../../../shared/agent/replay/rules.ts';
import type { Pinned } from '../../../shared/agent/session/pinned.ts';
import { newSession, type Session } from '../../../shared/agent/session/session.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import { guardsOf, readGuards } from '../../../shared/agent/step/open/read-guards.ts';
import { readReminders } from '../../../shared/agent/step/open/read-reminders.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';

/** A session that has been played. */
export interface Stored {
  readonly slots: readonly Slot[];
  readonly session: Session;
  readonly pinned: Pinned;
  readonly tools: readonly Tool[];
}

/** The steps of a stored session as the guards of a preset watch them. */
export const replayed = (stored: Stored, preset: PresetName): Promise<WatchedStep[]> =>
  underOwn({ ...stored, pinned: underPreset(stored.pinned, preset) });

/** The same under the rules that the session had. */
export async function underOwn({ slots, session, pinned: rules, tools }: Stored): Promise<WatchedStep[]> {
  await readGuards();
  await readReminders(rules.guardrails.injections);
  const { key, agent, definition, lastEnding } = session;
  return watch(
    { session: newSession(key, agent, definition), slots, ...(lastEnding && { endedAt: lastEnding.at }) },
    { pinned: rules, guards: guardsOf(rules), tools },
  );
}

/** How the last run ends in a replay, in the words of `ending`; undefined if the replay does not end it. */
export function endOf(steps: readonly WatchedStep[]) {
  const last = steps.at(-1);
  if (!last?.ending) return undefined;
  const { state, reason } =
    last.ending.kind === 'halt' ? last.ending.halt : { state: 'completed', reason: last.ending.reason };
  return { state, reason, steps: last.unasked ? last.step - 1 : last.step };
}
