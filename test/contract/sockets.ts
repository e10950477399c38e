import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sockets } from '../../shared/agent/ports/sockets.ts';

/** What a connection does with a post. */
export type ClientIs = 'there' | 'gone' | 'throttled' | 'hanging' | 'broken';

export interface SocketBench {
  readonly sockets: Sockets;
  /** Sets what becomes of posts to a connection. It is there by default. */
  client(connectionId: string, is: ClientIs): void;
  /** What a connection was sent, in order. */
  received(connectionId: string): string[];
  stop(): Promise<void>;
}

/** What every `Sockets` does: it never rejects, what went wrong is the answer. */
export function socketsContract(name: string, open: () => Promise<SocketBench>): void {
  describe(`${name}: sockets`, () => {
    let bench: SocketBench;
    beforeEach(async () => {
      bench = await open();
    });
    afterEach(() => bench.stop());

    test('data arrives as it was posted', async () => {
      expect(await bench.sockets.post('c=1', '{"text":"☕"}')).toBe('sent');
      expect(await bench.sockets.post('c=1', 'two')).toBe('sent');
      expect(await bench.sockets.post('c2', 'three')).toBe('sent');
      expect(bench.received('c=1')).toEqual(['{"text":"☕"}', 'two']);
    });

    for (const [is, answer] of [
      ['gone', 'gone'],
      ['throttled', 'slow'],
      ['hanging', 'slow'],
      ['broken', 'failed'],
    ] as const) {
      test(`a client that is ${is} is answered ${answer}`, async () => {
        bench.client('c1', is);
        expect(await bench.sockets.post('c1', 'x')).toBe(answer);
        expect(await bench.sockets.post('c2', 'x')).toBe('sent');
      });
    }
  });
}
