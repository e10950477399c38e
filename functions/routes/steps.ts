import { type StepSlots, stepsIn, toStepDetails, toStepInfo } from '../../shared/agent/events/steps.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import { StepsQuery } from '../../shared/contract/steps.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { fitting, PAGE_BYTES } from './page.ts';
import { between, type SlotSource } from './slots.ts';
import { cutToFit } from './steps-cut.ts';

/** Slots that are read at once. */
const WINDOW = 50;

/** `GET /sessions/{sessionId}/steps`: what each step of the session did, took and cost. */
export const listSteps: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const { from, limit, order } = parseOr400(StepsQuery, event.queryStringParameters ?? {}, 'query');
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const { version, totals } = view.session;
  const place = { sessions: io.sessions, session: view.session };
  const isNewest = order === 'newest';
  const start = Math.min(from ?? (isNewest ? version : 0), version);
  const read = isNewest ? slotsBefore : slotsFrom;
  const known = await read(place, start, limit);
  const begin = (slots: readonly number[]) => slots[0] ?? 0;
  const steps = stepsIn(known.slots, endOf(view.session))
    .map(toStepInfo)
    .filter(({ slots }) => begin(slots) >= known.from && begin(slots) < known.below);
  const wanted = (isNewest ? steps.reverse() : steps).slice(0, limit);
  const page = wanted.slice(0, fitting(wanted));
  const last = page.at(-1)?.slots;
  const next = last && (isNewest ? begin(last) : (last.at(-1) ?? 0) + 1);
  const isMore = next !== undefined && (isNewest ? next > 0 : next < version);
  return json(200, { steps: page, costUsd: totals.costUsd, ...(isMore && { next: String(next) }) });
};

/** `GET /sessions/{sessionId}/steps/{slot}`: what was new in the step's request, the reply, and the results of its calls. */
export const readStep: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const slot = Number(/^\d{1,10}$/.exec(event.pathParameters?.slot ?? '')?.[0] ?? Number.NaN);
  const { version, definition } = view.session;
  const near =
    slot < version ? await between({ sessions: io.sessions, session: view.session }, slot - 1, slot + 3) : [];
  const step = stepsIn(near, endOf(view.session)).find(
    ({ asked, ran }) => asked.n === slot || ran?.n === slot,
  );
  if (!step)
    throw new Refusal(404, 'No such step', {
      detail: 'GET /sessions/{sessionId}/steps lists those that there are, with their slots.',
    });
  const pinned = await io.sessions.definition(key.tenant, definition);
  return json(200, cutToFit(toStepDetails(step, pinned)));
};

/** What HEAD knows of the last step: the infrastructure cost so far. */
const endOf = ({ totals: { infraUsd } }: Session): StepSlots['after'] =>
  infraUsd === undefined ? undefined : { infraUsd };

/** Slots in order. Steps that begin from `from` up to, but without, `below` are complete. */
interface Known {
  readonly slots: readonly Slot[];
  readonly from: number;
  readonly below: number;
}

/** Slots of steps that begin at or after `from`: as many as requested, or as fit on a page. */
async function slotsFrom(place: SlotSource, from: number, limit: number): Promise<Known> {
  const { version } = place.session;
  const slots: Slot[] = [];
  let below = from;
  for (let bytes = 0; below < version && bytes < PAGE_BYTES && stepsIn(slots).length <= limit; ) {
    const read = await between(place, below, below + WINDOW);
    slots.push(...read);
    bytes += JSON.stringify(read).length;
    below = Math.min(below + WINDOW, version);
  }
  // The last step's results may come next, and then the step after it, which records more of it.
  slots.push(...(await between(place, below, below + 2)));
  return { slots, from, below };
}

/** Slots of steps that begin before `below`, newest windows first. */
async function slotsBefore(place: SlotSource, below: number, limit: number): Promise<Known> {
  const after = await between(place, below, below + 2);
  let slots: readonly Slot[] = [];
  let from = below;
  for (let bytes = 0; from > 0 && bytes < PAGE_BYTES && stepsIn(slots).length <= limit; ) {
    const start = Math.max(0, from - WINDOW);
    const read = await between(place, start, from);
    slots = [...read, ...slots];
    bytes += JSON.stringify(read).length;
    from = start;
  }
  return { slots: [...slots, ...after], from, below };
}
