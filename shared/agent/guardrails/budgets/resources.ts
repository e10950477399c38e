import type { ResourceUse } from '../../ports/ports.ts';
import { builtIn } from '../guard-codes.ts';

const kinds = ['memory', 'disk', 'files'] as const satisfies readonly (keyof ResourceUse)[];

/** Share of a resource at which the run warns. */
const WARN_AT = 0.9;
/** Share at which it ends. */
const HALT_AT = 1;

/**
 * Ends a run whose worker has no memory, disk or file descriptors left, and warns before that, once in a run for each. Too little
 * time is not such a limit: the next invocation goes on.
 */
export const resourcesGuard = builtIn<'resources', { told: readonly string[] }>({
  name: 'resources',
  scope: 'run',
  initial: { told: [] },
  hooks: {
    preflight: ({ told }, { resources }) => {
      const fullest = kinds
        .map((name) => ({ name, share: resources[name] ?? 0 }))
        .toSorted((a, b) => b.share - a.share);
      const full = fullest.find(({ share }) => share >= HALT_AT);
      if (full) {
        const code = `${full.name}_full` as const;
        return {
          verdict: { kind: 'halt', state: 'error', reason: 'resource_limit', code, message: said(full) },
        };
      }
      // One warning a step: the next step warns of another resource.
      const low = fullest.find(({ name, share }) => share >= WARN_AT && !told.includes(name));
      if (!low) return undefined;
      const verdict = { kind: 'warn', code: `${low.name}_low`, message: said(low) } as const;
      return { state: { told: [...told, low.name] }, verdict };
    },
  },
});

const said = ({ name, share }: { name: string; share: number }): string =>
  `The worker has used ${percent(share)} of its ${name}.`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;
