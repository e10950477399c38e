import type { GuardReplay } from '../../contract/replays.ts';
import type { PresetName } from '../config/presets.ts';
import type { Pinned } from '../session/pinned.ts';
import { openGates } from '../step/open/read-gates.ts';
import { guardsOf, readGuards } from '../step/open/read-guards.ts';
import { readReminders } from '../step/open/read-reminders.ts';
import type { Tool } from '../tools/tool.ts';
import { type Conversation, watch } from './replay.ts';
import { underPreset } from './rules.ts';
import { told } from './said.ts';

/**
 * The verdicts of presets on a stored conversation, in the order of `presets`. See `watch` for the limits of a replay.
 *
 * @param pinned the definition of its session: prompt, model and prices are its own; guardrails and limits are those of the presets
 * @param tools the tools of its agent as they are deployed now
 */
export async function underPresets(
  conversation: Conversation,
  pinned: Pinned,
  tools: readonly Tool[],
  presets: readonly PresetName[],
): Promise<GuardReplay[]> {
  await readGuards();
  const replays: GuardReplay[] = [];
  for (const preset of presets) {
    const rules = underPreset(pinned, preset);
    await readReminders(rules.guardrails.injections);
    const gates = (await openGates(tools, rules)).filter(({ checks }) => !checks);
    const guards = [...guardsOf(rules), ...gates];
    replays.push(told(preset, watch(conversation, { pinned: rules, guards, tools })));
  }
  return replays;
}
