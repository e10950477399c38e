import type * as z from 'zod';
import { toNano } from '../../../contract/money.ts';
import type { Reflection } from '../../config/replies.ts';
import { textOf } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import { gateTexts } from '../../texts/gates.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  /** Answers of the run that were sent back. */
  readonly rounds: number;
  /** The confidence that the last of them stated; 0 before the first. */
  readonly confidence: number;
};

const initial: State = { rounds: 0, confidence: 0 };

/**
 * Sends an answer back so that the model examines it, until the model states enough confidence. It also stands if it states none
 * that can be read, or no more than before: elsewhere such loops ran for ever on replies that could not be read
 * (MervinPraison/PraisonAI#4251, kyegomez/swarms#1266), or used up all rounds without better answers (sh1nj1/plan42#955).
 *
 * @param costLimitUsd the run's limit; 0 = none
 */
export const reflectionGuard = (
  { maxRounds, confidence: enough, minLeftUsd }: z.output<typeof Reflection>,
  costLimitUsd: number,
) =>
  builtIn<'reflection', State>({
    name: 'reflection',
    scope: 'run',
    initial,
    hooks: {
      inject: (_state, { said }) => (said.length > 0 ? { state: initial } : undefined),
      complete: ({ rounds, confidence: before }, { reply, textOnly, session }) => {
        const text = textOf(reply.content).trim();
        if (textOnly || reply.stop === 'max_tokens' || text === '') return undefined;
        const stated = rounds > 0 ? confidenceIn(text) : undefined;
        if (stated !== undefined && stated >= enough) return undefined;
        const metadata = { count: rounds, limits: { maxRounds, confidence: enough } };
        const isBetter = rounds === 0 || (stated !== undefined && stated > before);
        if (rounds < maxRounds && isBetter && isPaidFor(session, costLimitUsd, minLeftUsd)) {
          const text = gateTexts.reflect(stated);
          return {
            state: { rounds: rounds + 1, confidence: stated ?? 0 },
            verdict: { kind: 'nudge', code: 'reflect', text, metadata },
          };
        }
        if (rounds === 0) return undefined;
        const message = gateTexts.unsure(stated, enough);
        return {
          verdict: { kind: 'flag', code: 'unsure_accepted', reason: 'completed', message, metadata },
        };
      },
    },
  });

const isPaidFor = ({ run }: Session, limit: number, least: number): boolean =>
  limit === 0 || toNano(limit) - toNano(run?.totals.costUsd ?? 0) >= toNano(least);

/** `Confidence: 0.85`, `**Confidence:** 85 %`, `confidence = 8/10`. */
const STATED =
  /^[^a-z0-9\n]*confidence[^a-z0-9\n]*?(\d+(?:\.\d+)?|\.\d+)[ \t]*(%|\/[ \t]*100?\b)?[^a-z0-9\n]*$/gim;

/** The confidence that the last such line of an answer states, from 0 to 1. */
export function confidenceIn(text: string): number | undefined {
  const [, number = '', unit = ''] = [...text.matchAll(STATED)].at(-1) ?? [];
  if (number === '') return undefined;
  const parts = unit === '' ? 1 : /^\/\s*10$/.test(unit) ? 10 : 100;
  const confidence = Number(number) / parts;
  return confidence <= 1 ? confidence : undefined;
}
