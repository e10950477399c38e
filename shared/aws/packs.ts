/** Packs, loaded by the first session that has this much history. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { consistencyOf } from '../agent/consistency.ts';
import { recent } from '../agent/plain/recent.ts';
import type { SessionStore } from '../agent/ports/sessions.ts';
import type { Slot } from '../agent/session/slots.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, packPrefix, packSk, pkOf } from './layout.ts';
import { between, charsOf, firstGap, type Run, withRun } from './runs.ts';

const consistency = consistencyOf.sessions.packs;

/**
 * Characters of JSON of packs that one environment remembers: 40 contexts of 200,000 tokens. As values they take about
 * as many bytes, and once more as the texts that requests are joined from (`context/joined.ts`); twice as many where
 * text is not Latin. That is 128 MB at most, of the step function's 1,024 (`infra/steps.ts`).
 */
const MOST_CHARS = 32_000_000;

/** Packs of slots, and the packs that this environment remembers. Slots in no pack are remembered with them. */
export function createPacks(
  dynamo: Dynamo,
  { slots: slotsOf }: Pick<SessionStore, 'slots'>,
  most = MOST_CHARS,
): Pick<SessionStore, 'packs' | 'putPack'> {
  const remembered = recent<readonly Run[]>(most, charsOf);
  const nameOf = (key: SessionKey, id: string) => `${pkOf(key)}#${id}`;

  return {
    async packs(key, id, from, below) {
      // Runs that end before `from` are forgotten: a context never begins earlier again.
      let runs: readonly Run[] = (remembered.get(nameOf(key, id)) ?? []).filter((run) => run.below > from);
      const missing = firstGap(runs, from, below);
      if (missing) {
        const items = dynamo.range(pkOf(key), packSk(id, missing.from), endOf(packPrefix(id)), {
          consistency,
        });
        for await (const { body } of items) {
          const text = inflateRawSync(body).toString();
          runs = withRun(runs, toRun(JSON.parse(text), text.length));
        }
      }
      for (let gap = firstGap(runs, from, below); gap; gap = firstGap(runs, from, below)) {
        const stored = await slotsOf(key, gap.from, { below: gap.below, bytes: Number.POSITIVE_INFINITY });
        const slots = stored.map(({ slot }) => slot);
        runs = withRun(runs, { ...gap, slots, chars: JSON.stringify(slots).length });
      }
      remembered.set(nameOf(key, id), runs);
      return between(runs, from, below);
    },

    async putPack(key, id, slots) {
      const text = JSON.stringify(slots);
      const run = toRun(slots, text.length);
      const sk = packSk(id, run.below - 1, run.from);
      await dynamo.put({ pk: pkOf(key), sk, body: deflateRawSync(text) });
      const name = nameOf(key, id);
      remembered.set(name, withRun(remembered.get(name) ?? [], run));
    },
  };
}

function toRun(slots: readonly Slot[], chars: number): Run {
  return { from: slots[0]?.n ?? 0, below: (slots.at(-1)?.n ?? -1) + 1, slots, chars };
}
