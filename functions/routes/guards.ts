import { type PresetName, presets } from '../../shared/agent/config/presets.ts';
import { nearest } from '../../shared/agent/plain/nearest.ts';
import { toldThen } from '../../shared/agent/replay/said.ts';
import { underPresets } from '../../shared/agent/replay/under-presets.ts';
import { newSession } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import { toolsOf } from '../../shared/agent/tools/toolset.ts';
import { type ReplayAnswer, ReplayQuery } from '../../shared/contract/replays.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { between, type SlotSource } from './slots.ts';
import { cutToFit } from './steps-cut.ts';

/** Slots that one request replays, and their bytes of JSON: a replay of all presets takes some ms a slot. */
const MOST_SLOTS = 1_000;
const MOST_BYTES = 20_000_000;
/** Slots that are read at once. */
const WINDOW = 50;

/**
 * `GET /sessions/{sessionId}/guards`: what the guards of presets would have said to the stored runs. The guards themselves are
 * asked, so it runs here, where slots are whole and the declarations of tools are known.
 */
export const replayGuards: Route = async (event, caller, { io, agents }) => {
  const key = sessionKeyOf(event, caller);
  const { preset } = parseOr400(ReplayQuery, event.queryStringParameters ?? {}, 'query');
  const names = preset ? preset.map(presetOf) : (Object.keys(presets) as PresetName[]);
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const { session } = view;
  const [slots, pinned] = await Promise.all([
    lastRuns({ sessions: io.sessions, session }),
    io.sessions.definition(key.tenant, session.definition),
  ]);
  if (!pinned) throw new Error(`${key.sessionId}: its definition is missing`);
  const tools = await toolsOf(
    agents.find(({ name }) => name === session.agent),
    pinned,
  );
  const before = newSession(key, session.agent, session.definition);
  const { run, lastEnding } = session;
  const endedAt = run?.ended ? lastEnding?.at : undefined;
  const conversation = { session: before, slots, ...(endedAt !== undefined && { endedAt }) };
  const answer: ReplayAnswer = {
    from: slots[0]?.n ?? 0,
    runs: runsIn(slots),
    ran: toldThen(slots),
    presets: await underPresets(conversation, pinned, tools, names),
  };
  return json(200, cutToFit(answer));
};

function presetOf(name: string): PresetName {
  if (Object.hasOwn(presets, name)) return name as PresetName;
  const guess = nearest(name, Object.keys(presets));
  throw new Refusal(400, 'No such preset', {
    detail: `There is no preset ${name}.${guess ? ` Did you mean ${guess}?` : ''} There are: ${Object.keys(presets).join(', ')}.`,
  });
}

/** The slots of the last runs, as many whole runs as one request replays. */
async function lastRuns(place: SlotSource): Promise<readonly Slot[]> {
  let from = place.session.version;
  let slots: readonly Slot[] = [];
  for (let bytes = 0; from > 0 && bytes < MOST_BYTES && slots.length < MOST_SLOTS; ) {
    const start = Math.max(0, from - WINDOW);
    const read = await between(place, start, from);
    slots = [...read, ...slots];
    bytes += JSON.stringify(read).length;
    from = start;
  }
  if (from === 0) return slots;
  const first = slots.findIndex(({ runId }) => runId !== slots[0]?.runId);
  if (first === -1)
    throw new Refusal(422, 'Run too long', {
      detail: `The last run has more than ${MOST_SLOTS} slots, or more than ${MOST_BYTES / 1e6} MB: too many to replay in one request.`,
    });
  return slots.slice(first);
}

/** The runs of some slots, with the highest number of a step that the model has replied to. */
function runsIn(slots: readonly Slot[]): ReplayAnswer['runs'] {
  const steps = new Map<string, number>();
  for (const slot of slots)
    if (slot.kind === 'model' && slot.reply)
      steps.set(slot.runId, Math.max(steps.get(slot.runId) ?? 0, slot.step));
  return [...steps].map(([runId, of]) => ({ runId, steps: of }));
}
