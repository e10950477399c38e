import type { Meter } from '../../shared/agent/ports.ts';
import { once } from '../../shared/aws/once.ts';
import { clock } from '../../shared/aws/ports.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';

/** What is being exported in this environment. */
const exporting = new Set<Promise<void>>();

/** Resolves when what invocations have begun to export is exported, or given up: within about a second. */
export const exported = (): Promise<unknown> => Promise.all(exporting);

/**
 * The meter, which also exports what steps come to, where the deploy says where to. It begins with the commit, beside what else is sent
 * then, and no next step waits for it. What exports is read with the first step that is committed.
 */
export function exportedMeter(meter: Meter, secrets: Secrets): Meter {
  const { TELEMETRY = '{}' } = process.env;
  if (TELEMETRY === '{}') return meter;
  const outside = { secrets, clock, log, environment: process.env };
  const open = once(() =>
    import('../../shared/telemetry/open.ts').then(({ exporterTo }) => exporterTo(TELEMETRY, outside)),
  );
  return {
    ...meter,
    step(report, trace) {
      meter.step(report);
      if (!trace) return;
      const all = open()
        .then((send) => send(report, trace()))
        .catch(() => log('warn', 'telemetry could not be made'))
        .finally(() => exporting.delete(all));
      exporting.add(all);
    },
  };
}
