import { describe, expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import type { Slot, ToolResult } from '../../../shared/agent/session/slots.ts';
import { pathologies } from '../loops/runs/pathologies.ts';
import { play } from '../loops/runs/play.ts';
import { each } from '../loops/runs/run.ts';
import { endOf, replayed } from './replayed.ts';

const names = Object.keys(presets) as PresetName[];
const STEPS = 22;
const runs = pathologies
  .filter((_, i) => i % 4 === 1)
  .map(({ name, tools, step }) => ({ name, tools, steps: each(STEPS, step) }));

/** No guard speaks, so the run reaches its last reply. */
const unwatched = {
  guardrails: { loop: { enabled: false }, toolErrors: { max: 0, shellPivotAfter: 0 } },
  limits: { maxSteps: 200, maxToolCalls: 0 },
} as const;

/** Each run without guards, which is the same for every preset, played once. */
const unwatchedRuns = Promise.all(
  runs.map(async (run) => ({ run, played: await play(run.tools, run.steps, unwatched, 3) })),
);

const isRefused = ({ outcome }: ToolResult): boolean => outcome === 'refused';
const saidIn = (slots: readonly Slot[]) => slots.flatMap(({ verdicts }) => verdicts);

describe.each(names)('a run without guards under the preset %s', (preset) => {
  test('the replay says what a model that ignores advice would have been told, up to the first refused call', async () => {
    let spoken = 0;
    let ended = 0;
    for (const { run, played } of await unwatchedRuns) {
      const live = await play(run.tools, run.steps, { guardrails: preset }, 3);
      const steps = await replayed(played, preset);
      const refused = live.slots.findIndex((slot) => slot.kind === 'tools' && slot.results.some(isRefused));
      const until = refused === -1 ? live.slots.length : refused;
      const said = steps.flatMap(({ heard }) => heard.map(({ verdict }) => verdict));
      const then = saidIn(live.slots.slice(0, until));
      expect(said.slice(0, then.length), run.name).toEqual(then);
      spoken += then.length;
      if (refused !== -1 || live.end?.state === 'completed') continue;
      expect(said, run.name).toHaveLength(then.length + (live.end?.reason === 'max_steps' ? 1 : 0));
      expect(endOf(steps), run.name).toEqual(live.end);
      ended += 1;
    }
    expect(spoken + ended).toBeGreaterThan(3);
  }, 60_000);
});
