import type { Level } from '../config/levels.ts';
import type { Decided, Mode } from '../config/policy.ts';

/** The decision on a call that no rule matches. */
export const modes: Readonly<Record<Mode, Readonly<Record<Level, Decided>>>> = {
  strict: { safe: 'allow', moderate: 'allow', dangerous: 'forbid', critical: 'forbid' },
  interactive: { safe: 'allow', moderate: 'ask', dangerous: 'ask', critical: 'ask' },
  auto_safe: { safe: 'allow', moderate: 'allow', dangerous: 'ask', critical: 'ask' },
  yolo: { safe: 'allow', moderate: 'allow', dangerous: 'allow', critical: 'allow' },
};
