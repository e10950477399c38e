import { isRecord } from '../plain/merge.ts';
import type { Fold } from '../session/fold.ts';
import { callsOf } from '../session/reply.ts';
import { SKILL_TOOL } from '../session/skills.ts';
import type { InputTurn, Slot } from '../session/slots.ts';
import { type ContextInputs, saidIn } from './asked.ts';
import { foldTexts } from './texts.ts';

/** Skills that a head names, the newest. */
const MOST = 20;

/**
 * The skills whose instructions a fold takes out of the context, for its head: the prompt still describes them, and a model that
 * follows one would go on by what it remembers. Empty for a session without skills.
 *
 * @param before the head that this one replaces
 */
export function readSkills(
  asked: ContextInputs,
  before: readonly InputTurn[],
  { start, clearedBelow }: Pick<Fold, 'start' | 'clearedBelow'>,
): InputTurn[] {
  if (!asked.pinned.skills) return [];
  const said = saidIn(asked);
  const stays = Math.max(start, clearedBelow);
  const still = skillsIn(said.filter(({ n }) => n >= stays));
  const known = before.flatMap(({ internal }) => internal?.skills ?? []);
  const left = [...known, ...skillsIn(said.filter(({ n }) => n < stays))].filter(
    (name) => !still.includes(name),
  );
  // A later reading counts, so the newest come last.
  const names = [...new Set(left.toReversed())].toReversed().slice(-MOST);
  if (names.length === 0) return [];
  return [
    { text: foldTexts.readSkills(SKILL_TOOL, names), internal: { reason: 'fold_skills', skills: names } },
  ];
}

/** The skills whose instructions these slots have. */
function skillsIn(slots: readonly Slot[]): string[] {
  const calls = new Map(
    slots.flatMap((slot) =>
      slot.kind === 'model' && slot.reply ? callsOf(slot.reply).map((call) => [call.id, call] as const) : [],
    ),
  );
  return slots.flatMap((slot) =>
    slot.kind !== 'tools'
      ? []
      : slot.results.flatMap(({ callId, name, outcome }) => {
          const input = name === SKILL_TOOL && outcome === 'ok' ? calls.get(callId)?.input : undefined;
          return isRecord(input) && typeof input.name === 'string' && !input.path ? [input.name] : [];
        }),
  );
}
