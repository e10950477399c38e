import type { Wake } from '../../contract/queue.ts';
import { Superseded } from '../plain/superseded.ts';
import type { Ports, Settlement } from '../ports/ports.ts';
import type { Invocation } from '../ports/queue.ts';
import type { Session } from '../session/session.ts';
import { hideMs } from './open/lease.ts';
import { claimAndLoad } from './open/load.ts';
import { holdingMessage } from './open/message-hold.ts';
import type { StepOptions } from './open/options.ts';
import { readGuards } from './open/read-guards.ts';
import type * as Loop from './step.ts';

let loop: typeof Loop | undefined;

/** Loads the loop and its guards, once in a process, while a session is claimed, which waits for a database anyway. */
export const readLoop = (): Promise<unknown> =>
  Promise.all([
    loop ??
      import('./step.ts').then((read) => {
        loop = read;
      }),
    readGuards(),
  ]);

/**
 * Handles one message: claims its session, if possible, and continues it (`step.ts`). Rejects only if a service cannot be
 * reached; the message then comes back.
 */
export const runStep = (
  wake: Wake,
  invocation: Invocation,
  options: StepOptions,
  io: Ports,
): Promise<Settlement> =>
  holdingMessage(invocation, hideMs(options.leaseMs), io, async (holdNow) => {
    const claiming = claimAndLoad(wake, invocation, options.leaseMs, io).catch((error: unknown) => {
      if (error instanceof Superseded) return 'superseded' as const;
      throw error;
    });
    const [claimed] = await Promise.all([claiming, readLoop()]);
    if (claimed === 'superseded') return 'retry';
    if (!loop) throw new Error('the loop was asked for before it was read');
    if (claimed.kind === 'claimed' && runsCalls(claimed.view.session)) holdNow();
    return loop.goOn(claimed, wake, invocation, options, io);
  });

/** Whether the step may run calls before it asks a model: people have decided on them, or they are due. */
const runsCalls = ({ batch, run }: Session): boolean => batch !== undefined || run?.due !== undefined;
