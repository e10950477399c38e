import type { ResourceUse } from '../ports.ts';
import { defineGuard } from './guard.ts';

/** Share of a resource at which the run warns (T2: 90 %). */
const WARN_AT = 0.9;
/** Share at which it ends (T2: 100 %). */
const HALT_AT = 1;

/**
 * Ends a run whose worker has no memory, disk or file descriptors left, and warns, once in a run, before (T2). Little
 * time left is no such limit: the next invocation goes on.
 */
export const resourcesGuard = defineGuard<{ warned: boolean }>({
  name: 'resources',
  scope: 'run',
  initial: { warned: false },
  hooks: {
    preflight: ({ warned }, { resources }) => {
      const [name, share] = fullest(resources);
      if (share >= HALT_AT) {
        const message = `The worker has used ${percent(share)} of its ${name}.`;
        return {
          verdict: { kind: 'halt', state: 'error', reason: 'resource_limit', code: `${name}_full`, message },
        };
      }
      if (share < WARN_AT || warned) return undefined;
      const message = `The worker has used ${percent(share)} of its ${name}.`;
      return { state: { warned: true }, verdict: { kind: 'warn', code: `${name}_low`, message } };
    },
  },
});

const fullest = (use: ResourceUse): [name: string, share: number] =>
  Object.entries(use).reduce<[string, number]>(
    (most, [name, share = 0]) => (share > most[1] ? [name, share] : most),
    ['memory', 0],
  );

const percent = (share: number): string => `${Math.round(share * 100)} %`;
