import { describe, expect, test } from 'vitest';
import type { MessageHandle, Queue } from '../../shared/agent/ports/queue.ts';
import { MAX_DELAY_MS } from '../../shared/agent/session/wake.ts';
import type { CallMessage, Wake } from '../../shared/contract/queue.ts';

/**
 * A queue, and the side of it that the platform has. The visibility timeout is 2 s, and a message is dead after 3
 * receives.
 */
export interface QueueBench {
  readonly queue: Queue;
  /** Receives one message at once, if there is one. */
  receive(): Promise<{ wake: Wake; handle: MessageHandle } | undefined>;
  /** Receives one message of the queue of deliveries. */
  receiveDelivery(): Promise<unknown>;
  delete(handle: MessageHandle): Promise<void>;
  /** Receives one dead letter, if there is one. */
  dead(): Promise<Wake | undefined>;
  /** Receives one call from the tool queue, if there is one. */
  calls(): Promise<{ call: CallMessage; messageId: string } | undefined>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

/** The contract of `Queue`. It is slow on a real queue, since delays are whole seconds. */
export function queueContract(name: string, open: () => Promise<QueueBench>): void {
  describe.concurrent(`${name}: queue`, () => {
    const wake: Wake = {
      tenant: 'acme',
      sessionId: 's1',
      hint: { version: 4, from: 3, definition: 'h1', inbox: ['é', 'e2'] },
      deadLetters: 1,
    };

    test('a wake arrives as it was sent', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      const received = await bench.receive();
      expect(received?.wake).toEqual(wake);
      await bench.delete(received?.handle as MessageHandle);
      await bench.pass(2100);
      expect(await bench.receive()).toBeUndefined();
    });

    test('so does one that carries slots, whatever their content', async () => {
      const bench = await open();
      const slots = [{ n: 3, text: 'nul \u0000, half \ud800, none \uffff, \ufffe, 😀 "quoted" \\' }];
      await bench.queue.send({ ...wake, recent: { epoch: 7, slots } });
      expect((await bench.receive())?.wake).toEqual({ ...wake, recent: { epoch: 7, slots } });
    });

    test('a delivery arrives on a separate queue, with only the session’s key', async () => {
      const bench = await open();
      await bench.queue.deliver(wake);
      expect(await bench.receive()).toBeUndefined();
      expect(await bench.receiveDelivery()).toEqual({ tenant: 'acme', sessionId: 's1' });
      await bench.queue.deliver({ tenant: 'acme', sessionId: 's2' }, 1000);
      expect(await bench.receiveDelivery()).toBeUndefined();
      await bench.pass(1100);
      expect(await bench.receiveDelivery()).toEqual({ tenant: 'acme', sessionId: 's2' });
      await expect(bench.queue.deliver(wake, MAX_DELAY_MS + 1)).rejects.toThrow();
    });

    const call: CallMessage = { tenant: 'acme', sessionId: 's1', slot: 4, callId: 'toolu_é', waitId: 'w1' };

    test('a call arrives as it was sent, and sends no wake', async () => {
      const bench = await open();
      await bench.queue.call(call);
      expect((await bench.calls())?.call).toEqual(call);
      expect(await bench.calls()).toBeUndefined();
      expect(await bench.receive()).toBeUndefined();
    });

    test('a wake runs no call', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      expect(await bench.calls()).toBeUndefined();
    });

    test('a call that is sent again is a separate message', async () => {
      const bench = await open();
      await bench.queue.call(call);
      await bench.queue.call(call);
      const [one, two] = [await bench.calls(), await bench.calls()];
      expect(one?.messageId).toBeDefined();
      expect(two?.messageId).toBeDefined();
      expect(one?.messageId).not.toBe(two?.messageId);
    });

    test('every send is a separate message', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      await bench.queue.send(wake);
      const [one, two] = [await bench.receive(), await bench.receive()];
      expect(one?.handle.messageId).toBeDefined();
      expect(two?.handle.messageId).toBeDefined();
      expect(one?.handle.messageId).not.toBe(two?.handle.messageId);
    });

    test('a delay is rounded up to whole seconds', async () => {
      const bench = await open();
      await bench.queue.send(wake, 1);
      await bench.queue.send({ ...wake, sessionId: 'now' }, 0);
      expect((await bench.receive())?.wake.sessionId).toBe('now');
      expect(await bench.receive()).toBeUndefined();
      await bench.pass(1100);
      expect((await bench.receive())?.wake.sessionId).toBe('s1');
    });

    test('a delay is at most fifteen minutes', async () => {
      const bench = await open();
      await bench.queue.send(wake, MAX_DELAY_MS);
      await expect(bench.queue.send(wake, MAX_DELAY_MS + 1)).rejects.toThrow();
    });

    test('a message that is not deleted comes back, and is dead in the end', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      const ids = new Set<string | undefined>();
      for (let receive = 1; receive <= 3; receive++) {
        ids.add((await bench.receive())?.handle.messageId);
        expect(await bench.receive()).toBeUndefined();
        await bench.pass(2100);
      }
      expect(ids.size).toBe(1);
      expect(await bench.receive()).toBeUndefined();
      expect(await bench.dead()).toEqual(wake);
    });

    test('a message can be hidden for longer, or for less', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      const first = await bench.receive();
      await bench.queue.hide(first?.handle as MessageHandle, 3500);
      await bench.pass(2500);
      expect(await bench.receive()).toBeUndefined();
      await bench.pass(2000);
      const second = await bench.receive();
      expect(second?.handle.messageId).toBe(first?.handle.messageId);
      await bench.queue.hide(second?.handle as MessageHandle, 0);
      expect(await bench.receive()).toBeDefined();
    });

    test('hiding a message that is gone is no error', async () => {
      const bench = await open();
      await bench.queue.send(wake);
      const received = await bench.receive();
      await bench.delete(received?.handle as MessageHandle);
      await bench.queue.hide(received?.handle as MessageHandle, 1000);
      await bench.queue.hide({ messageId: 'none', receiptHandle: 'none' }, 1000);
    });
  });
}
