import { hash } from '../../agent/plain/hash.ts';
import { memoize } from '../../agent/plain/memoize.ts';
import type { Message } from '../../agent/ports/provider.ts';
import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { ServerRules } from '../dialects.ts';

/** Returns the ids under which the calls and results of a message are sent: ask once for each message, in order. */
export type WireIds = (message: Message) => readonly string[];

/**
 * A server gets its own id of a call back, if it gave one and every other call has another. Any other id is converted
 * to the form that the server takes: sound ids stay, and the rest are hashed or counted. It is a pure function of the
 * history, so that a call keeps its id in every later request.
 */
export function wireIds({ callIds }: ServerRules): WireIds {
  const taken = new Set<string>();
  const byOurs = new Map<string, string>();
  let count = 0;
  const idOf = (block: Block): string => {
    const ours = String(block.id);
    const own = givenOf(block).id;
    const isOwn = typeof own === 'string' && !taken.has(own);
    const id = isOwn ? own : inForm(callIds, { block, count, taken });
    count++;
    taken.add(id);
    byOurs.set(ours, id);
    return id;
  };
  return ({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'tool_use') return [idOf(block)];
      if (block.type !== 'tool_result') return [];
      const ours = String(block.tool_use_id);
      return [byOurs.get(ours) ?? ours];
    });
}

interface CallPlace {
  readonly block: Block;
  /** Number of calls in the conversation before this one. */
  readonly count: number;
  readonly taken: ReadonlySet<string>;
}

function inForm(form: ServerRules['callIds'], place: CallPlace): string {
  const { block, count, taken } = place;
  const ours = String(block.id);
  switch (form) {
    case 'any':
      return ours.length <= MOST_OPENAI
        ? ours
        : firstFree(taken, (n) => `call_${hashOf(block, n).slice(0, 24)}`);
    case 'nine':
      return NINE.test(ours) && !taken.has(ours)
        ? ours
        : firstFree(taken, (n) => hashOf(block, n).slice(0, 9));
    case 'functions':
      return firstFree(taken, (n) => `functions.${String(block.name)}:${count + n}`);
    default:
      return form satisfies never;
  }
}

/** OpenAI's own limit. An imported conversation may have longer ids. */
const MOST_OPENAI = 40;
const NINE = /^[A-Za-z0-9]{9}$/;

const firstHash = memoize(({ id }: Block) => hash(`0.${String(id)}`));
const hashOf = (block: Block, n: number): string =>
  n === 0 ? firstHash(block) : hash(`${n}.${String(block.id)}`);

function firstFree(taken: ReadonlySet<string>, make: (n: number) => string): string {
  for (let n = 0; ; n++) {
    const id = make(n);
    if (!taken.has(id)) return id;
  }
}
