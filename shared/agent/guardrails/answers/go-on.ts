import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

/** Steps after a fold in which the model may still be told. */
const FIRST_STEPS = 2;

/** Tells a model whose conversation was made shorter, once, to go on with the work and not to sum it up again. */
export const goOnGuard = (recall: boolean) =>
  builtIn<'go_on', { fold: number }>({
    name: 'go_on',
    scope: 'session',
    initial: { fold: -1 },
    hooks: {
      inject: (told, { session, textOnly, context }) => {
        const { fold } = session;
        if (!recall || !fold || textOnly || told.fold === fold.slot) return undefined;
        const since = context.slots.filter((slot) => slot.n >= fold.slot);
        const replies = since.filter((slot) => slot.kind === 'model' && slot.reply);
        const [first] = since;
        const left = first?.kind === 'model' ? (first.fold?.left.messages ?? 0) : 0;
        if (left === 0 || replies.length >= FIRST_STEPS) return undefined;
        return {
          state: { fold: fold.slot },
          verdict: { kind: 'nudge', code: 'go_on', text: guardTexts.goOn, again: true, beside: true },
        };
      },
    },
  });
