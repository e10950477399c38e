import type { Sockets } from '../../shared/agent/ports/sockets.ts';
import type { Caller } from './network.ts';
import type { World } from './world.ts';

type Posted = Awaited<ReturnType<Sockets['post']>>;

/** Time in ms after which a client that does not take a message is given up (`shared/aws/sockets.ts`). */
const SLOW_AFTER_MS = 1_500;

/** The WebSocket API: connections and pushes to them. A push is tried once. */
export interface SimSockets {
  post(caller: Caller, connectionId: string, data: string): Promise<Posted>;
  open(connectionId: string, connection: Connection): void;
  close(connectionId: string): void;
}

/**
 * A client's end: it receives what arrives, and is told when the connection has ended, or when a push to it has failed.
 */
interface Connection {
  readonly receive: (data: string) => void;
  readonly closed: () => void;
  readonly missed: () => void;
}

export function createSockets(world: Pick<World, 'scheduler' | 'faults' | 'network'>): SimSockets {
  const { scheduler, faults, network } = world;
  const { random, trace } = scheduler;
  const connections = new Map<string, Connection>();

  const end = (connectionId: string) => {
    const connection = connections.get(connectionId);
    connections.delete(connectionId);
    connection?.closed();
  };

  const fateOf = (connectionId: string): Posted | 'lost' | 'late' => {
    if (!connections.has(connectionId) || faults.strikes('gone')) return 'gone';
    if (faults.strikes('slowSocket')) return 'slow';
    if (faults.strikes('failedPush')) return 'failed';
    if (faults.strikes('lostPush')) return 'lost';
    return faults.strikes('latePush') ? 'late' : 'sent';
  };

  return {
    post(caller, connectionId, data) {
      const done = Promise.withResolvers<Posted>();
      const { host } = caller;
      if (!host.alive) return done.promise;
      if (faults.strikes('killBefore')) {
        trace.say(host.name, 'killed', 'before a push');
        host.kill();
        return done.promise;
      }
      host.deliver(() => {
        const fate = fateOf(connectionId);
        if (fate !== 'sent') trace.say(caller.id, 'push', fate, connectionId);
        const arrive = () => connections.get(connectionId)?.receive(data);
        if (fate === 'gone') scheduler.in(1, () => end(connectionId));
        // A message on a connection that ends before it arrives: the client sees the end, but not the message.
        if (fate === 'lost') scheduler.in(random.between(1, 1000), () => end(connectionId));
        if (fate === 'slow' || fate === 'failed' || fate === 'lost') connections.get(connectionId)?.missed();
        if (fate === 'sent') network.fly(random.between(1, 50), arrive);
        if (fate === 'late') network.fly(random.between(100, 10_000), arrive);
        const answer = fate === 'lost' || fate === 'late' ? 'sent' : fate;
        scheduler.in(answer === 'slow' ? SLOW_AFTER_MS : random.between(1, 20), () =>
          host.deliver(() => done.resolve(answer)),
        );
      });
      return done.promise;
    },
    open: (connectionId, connection) => void connections.set(connectionId, connection),
    close: end,
  };
}
