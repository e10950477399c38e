import type { Assembly } from '../../agent/define/provider.ts';
import { StreamFault } from '../../agent/define/provider.ts';
import { defined } from '../../agent/plain/defined.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { Reply, Used } from '../../agent/session/reply.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { Stop } from '../../agent/session/slots.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { usageReader, usedOf } from '../common/usage.ts';
import { billingReader } from '../openai/billing.ts';
import { readArguments } from '../openai/calls.ts';
import { RESPONSES, usageOf } from '../openai/usage.ts';
import { withServices } from './billing.ts';
import { itemDrafts } from './drafts.ts';
import { finishItems } from './finish.ts';

/**
 * Builds a reply from the events of the Responses API. It tolerates servers that only resemble OpenAI's: events without
 * ids or indexes, items that come only whole, and a last event without output or usage.
 *
 * @param tellsDollars whether the server reports the cost of the call in `usage.cost`
 */
export function assemble(request: ModelRequest, tellsDollars = false): Assembly {
  const drafts = itemDrafts();
  const counts = usageReader();
  const bill = billingReader(tellsDollars);
  let model = request.model;
  let usage = noUsage;
  let usageKnown = false;
  let begun = false;
  /** The finished response. */
  let ended: Json | undefined;

  const note = (response: Json) => {
    model = stringAt(response, 'model') ?? model;
    const counted = usageOf(response, counts, RESPONSES);
    usage = counted ?? usage;
    usageKnown ||= counted !== undefined;
    bill.take(response, {});
  };
  const usedByNow = (): Used => {
    const { webSearches, billing } = withServices(drafts.all(), bill.billing());
    const written = drafts
      .all()
      .reduce((sum, { text, thinking, json, refusal }) => sum + (text + thinking + json + refusal).length, 0);
    const used = begun ? usedOf({ ...usage, webSearches }, request, written) : { usage };
    return { ...used, ...defined({ billing }) };
  };
  const reply = (stop: Stop, stopDetail: string | undefined): Reply => {
    const { content, calls } = finishItems(request, drafts.all());
    const cutCalls = stop === 'max_tokens' && drafts.all().some(({ type }) => type === 'function_call');
    return {
      ...{ model, stop, ...defined({ stopDetail }), content, calls },
      ...(cutCalls && { cutCalls }),
      ...usedByNow(),
    };
  };
  const isCut = () =>
    drafts.all().some(({ type, json }) => type === 'function_call' && readArguments(json).kind === 'cut');

  return {
    take(event) {
      const { type } = event;
      if (type === 'error' || (type === undefined && event.error)) throw failed(event);
      const response = objectAt(event, 'response');
      switch (type) {
        case 'response.created':
        case 'response.in_progress':
        case 'response.queued':
          begun = true;
          note(response);
          return [];
        case 'response.failed':
        case 'response.cancelled':
          note(response);
          // Azure sends the reason in an event of its own (earendil-works/pi#7983).
          if (isObject(response.error)) throw failed(response);
          return [];
        case 'response.completed':
        case 'response.incomplete':
          begun = true;
          ended = type === 'response.incomplete' ? { ...response, status: 'incomplete' } : response;
          note(response);
          return drafts.end(response.output);
        default:
          begun ||= typeof type === 'string' && type.startsWith('response.');
          return drafts.take(event);
      }
    },
    begun: () => begun,
    finished: () => ended !== undefined,
    complaint: counts.complaint,
    used: () => (usageKnown ? usedByNow() : undefined),
    whole() {
      if (ended === undefined) return undefined;
      const refusal = drafts.all().map((draft) => draft.refusal);
      if (refusal.some(Boolean)) return reply('refusal', refusal.join(''));
      const { stop, detail } = stopOf(ended);
      // Some servers say that a reply is complete whose last call the limit has cut.
      if (isCut() && stop !== 'max_tokens') return reply('max_tokens', CUT);
      const calls = drafts.all().some(({ type }) => type === 'function_call');
      return reply(stop === 'end_turn' && calls ? 'tool_use' : stop, detail);
    },
    cutInCall() {
      const open = drafts.all().some(({ type, done }) => type === 'function_call' && !done);
      return open && ended === undefined ? reply('max_tokens', CUT) : undefined;
    },
    interrupted: () => reply('interrupted', undefined),
  };
}

const CUT = 'the arguments of a call were cut';

/** An error is documented as the fields of its event, and mostly comes in a field `error` of it (zendev-sh/goai#88). */
function failed({ error, code, message, param }: Json): StreamFault {
  const told = error ?? { code, message, param };
  return new StreamFault({ kind: 'error_event', body: { error: told } });
}

/** Why a finished response ended. Reasons that are not known are `unknown`, not an error. */
function stopOf(response: Json): { readonly stop: Stop; readonly detail?: string } {
  const reason = stringAt(objectAt(response, 'incomplete_details'), 'reason');
  if (reason === undefined)
    return response.status === 'incomplete'
      ? { stop: 'unknown', detail: 'incomplete' }
      : { stop: 'end_turn' };
  switch (reason) {
    case 'max_output_tokens':
      return { stop: 'max_tokens' };
    case 'content_filter':
      return { stop: 'refusal', detail: reason };
    default:
      return { stop: 'unknown', detail: reason };
  }
}
