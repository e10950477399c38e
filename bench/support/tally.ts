import { itemBytes, type WireItem } from '../../local/stack/services/item-bytes.ts';
import type { Wire, WireCall } from '../../local/stack/wire.ts';
import { tableLayout } from '../../shared/contract/env.ts';
import { readUnits, writeUnits } from '../../test/support/item-size.ts';

/** One call of a function to a service, as it went over the wire. */
export interface Counted {
  readonly service: WireCall['service'];
  readonly operation: string;
  /** Its subject: `HEAD`, `slot`, `log`, …; empty if calls need no distinction. */
  readonly of: string;
  /** The function that made it. */
  readonly by: string;
  /** When it was sent and when it was answered, in ms of `performance.now()`. */
  readonly from: number;
  readonly to: number;
  /** DynamoDB's units, including those of the index. */
  readonly read: number;
  readonly write: number;
  /** Bytes of the request's body. */
  readonly bytes: number;
}

/** Counts calls on the wire. Give `wire` to a stack. */
export interface Tally {
  readonly wire: Wire;
  /** The calls since the last `begin`, in the order of the answers. */
  readonly counted: readonly Counted[];
  begin(): void;
}

/** @param holdMs how long each answer is held back, so that calls which do not wait for each other are sure to overlap */
export function tally(holdMs = 0): Tally {
  let counted: Counted[] = [];
  const sent = new Map<WireCall, number>();
  const places = new Map<string, unknown>();
  return {
    get counted() {
      return counted;
    },
    begin: () => {
      counted = [];
    },
    wire: {
      before: (call) => void sent.set(call, performance.now()),
      async after(call, { status, body }) {
        const from = sent.get(call) ?? Number.NaN;
        sent.delete(call);
        if (holdMs > 0) await new Promise((resolve) => setTimeout(resolve, holdMs));
        const { service, operation, by } = call;
        const units = service === 'dynamodb' ? unitsOf(call, status, JSON.parse(body || '{}'), places) : none;
        const bytes = Buffer.byteLength(call.body);
        const of = service === 'dynamodb' ? subjectOf(call.body) : '';
        counted.push({ service, operation, of, by, from, to: performance.now(), ...units, bytes });
      },
    },
  };
}

/** Whether a function is the step function, by its name or its logical id. */
export const isStep = (name: string): boolean => /Steps?Step/.test(name);

const none = { read: 0, write: 0 };

/** By the sort key, whose prefixes are listed in shared/aws/layout.ts. */
function subjectOf(body: string): string {
  const [, key = ''] =
    /"sk":\{"S":"([^"]*)"/.exec(body) ?? /":from":\{"S":"([^"]*)"/.exec(body) ?? /"(due)"/.exec(body) ?? [];
  const [beginning = ''] = key.split('#');
  return subjects[beginning] ?? beginning;
}

const subjects: Readonly<Record<string, string>> = {
  M: 'slot',
  P: 'pack',
  R: 'result',
  I: 'event',
  Q: 'queue for the inbox',
  A: 'answer',
  V: 'log',
  O: 'listener outside',
};

/** The used part of DynamoDB's answer. */
interface Answered {
  readonly Item?: WireItem;
  readonly Items?: readonly WireItem[];
  readonly Attributes?: WireItem;
  readonly Responses?: Readonly<Record<string, readonly WireItem[]>>;
}

/**
 * The units of a call, by the sizes of its items. A read that finds nothing and a refused write cost one, like any other. A write
 * that moves an item in the index removes an entry from it and adds one.
 *
 * @param places where items are in the index, as far as they were seen
 */
function unitsOf(
  { operation, body }: WireCall,
  status: number,
  answer: Answered,
  places: Map<string, unknown>,
) {
  const request = JSON.parse(body || '{}');
  const strong = request.ConsistentRead === true;
  switch (operation) {
    case 'GetItem':
      return { read: readUnits(itemBytes(answer.Item ?? {}), strong), write: 0 };
    case 'Query': {
      const bytes = (answer.Items ?? []).reduce((sum, item) => sum + itemBytes(item), 0);
      return { read: readUnits(bytes, strong), write: 0 };
    }
    case 'BatchGetItem': {
      const [table] = Object.values(request.RequestItems ?? {}) as {
        Keys: object[];
        ConsistentRead?: boolean;
      }[];
      const items = Object.values(answer.Responses ?? {}).flat();
      const units = items.map((item) => readUnits(itemBytes(item), table?.ConsistentRead === true));
      const missing = Math.max(0, (table?.Keys.length ?? 0) - items.length);
      return {
        read: units.reduce((sum, n) => sum + n, missing * readUnits(0, table?.ConsistentRead === true)),
        write: 0,
      };
    }
    case 'PutItem':
      return { read: 0, write: writeUnits(request.Item) };
    case 'UpdateItem':
    case 'DeleteItem': {
      const item = answer.Attributes ?? request.Key;
      return { read: 0, write: Math.max(1, writeUnits(item)) + (status === 200 ? movedIn(item, places) : 0) };
    }
    default:
      return none;
  }
}

/** Index writes that come with a write of this item. */
function movedIn(item: WireItem, places: Map<string, unknown>): number {
  const { partitionKey, sortKey, due } = tableLayout;
  const key = JSON.stringify([item[partitionKey], item[sortKey]]);
  const before = places.get(key);
  const now = item[due.partitionKey] && JSON.stringify(item[due.sortKey]);
  places.set(key, now);
  if (now === before) return 0;
  return (before === undefined ? 0 : 1) + (now === undefined ? 0 : 1);
}
