import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_POST_BYTES, type Sockets } from '../../shared/agent/ports/sockets.ts';

/** How a connection reacts to a post. */
export type ClientIs = 'there' | 'gone' | 'throttled' | 'hanging' | 'broken';

export interface SocketBench {
  readonly sockets: Sockets;
  /** Sets how posts to a connection end. By default it is there. */
  client(connectionId: string, is: ClientIs): void;
  /** The posts to a connection, in order. */
  received(connectionId: string): string[];
  stop(): Promise<void>;
}

/** The contract of `Sockets`: it never rejects, and its answer says what went wrong. */
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

    test('a post of more than 128 KB is answered failed, and its client is still there', async () => {
      expect(await bench.sockets.post('c1', 'ä'.repeat(MAX_POST_BYTES / 2))).toBe('sent');
      expect(await bench.sockets.post('c1', `${'ä'.repeat(MAX_POST_BYTES / 2)}x`)).toBe('failed');
      expect(await bench.sockets.post('c1', 'x')).toBe('sent');
      expect(bench.received('c1').map((data) => data.length)).toEqual([MAX_POST_BYTES / 2, 1]);
    });

    for (const [is, answer] of [
      ['gone', 'gone'],
      ['throttled', 'slow'],
      ['hanging', 'slow'],
      ['broken', 'failed'],
    ] as const) {
      test(`a post to a client that is ${is} is answered ${answer}`, async () => {
        bench.client('c1', is);
        expect(await bench.sockets.post('c1', 'x')).toBe(answer);
        expect(await bench.sockets.post('c2', 'x')).toBe('sent');
      });
    }
  });
}
