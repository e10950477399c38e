import { builtIn } from '../guard-codes.ts';

/** Warns, once for each context, that it is close to the limit of its model. */
export const contextSizeGuard = (warnAt: number) =>
  builtIn<'context_size', { warned: number }>({
    name: 'context_size',
    scope: 'session',
    initial: { warned: NEVER },
    hooks: {
      preflight: ({ warned }, { session, fullness }) => {
        const context = session.fold?.slot ?? UNFOLDED;
        if (warnAt === 0 || warned === context) return undefined;
        const share = fullness();
        if (share < warnAt) return undefined;
        const message = `The conversation fills ${Math.round(share * 100)} % of what its model can read at once.`;
        return { state: { warned: context }, verdict: { kind: 'warn', code: 'context_filling', message } };
      },
    },
  });

/** In place of the slot of a fold. */
const UNFOLDED = -1;
const NEVER = -2;
