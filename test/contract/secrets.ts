import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { SECRET_LIFETIME_MS, type Secrets } from '../../shared/edge/secrets.ts';
import type { SlackTokens } from '../../shared/slack/store.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

/** Secrets, and how they are set. */
export interface SetSecrets {
  readonly secrets: Secrets;
  set(id: string, value: string): Promise<void>;
  stop(): Promise<void>;
}

/** The contract of `Secrets`. */
export function secretsContract(name: string, open: (clock: Clock) => Promise<SetSecrets>): void {
  describe(`${name}: secrets`, () => {
    let clock: VirtualClock;
    let opened: SetSecrets;
    beforeAll(async () => {
      clock = virtualClock();
      opened = await open(clock);
    });
    afterAll(() => opened.stop());

    test('a value is read by its id', async () => {
      const { secrets, set } = opened;
      await set('one', 'hush');
      await set('two', 'hush too');
      expect([await secrets.get('one'), await secrets.get('two')]).toEqual(['hush', 'hush too']);
    });

    test('a missing secret has no value, and is read once it exists', async () => {
      const { secrets, set } = opened;
      await expect(secrets.get('late')).rejects.toThrow();
      await expect(secrets.refresh('late')).rejects.toThrow();
      await set('late', 'here');
      expect(await secrets.get('late')).toBe('here');
    });

    test('a rotated secret is seen within its time, and at once by a caller that was just refused', async () => {
      const { secrets, set } = opened;
      await set('rotated', 'old');
      await secrets.get('rotated');
      await set('rotated', 'new');
      expect(await secrets.refresh('rotated')).toBe('new');
      expect(await secrets.get('rotated')).toBe('new');
      await set('rotated', 'newer');
      await clock.advance(SECRET_LIFETIME_MS);
      expect(await secrets.get('rotated')).toBe('newer');
    });
  });
}

/** The contract of `SlackTokens`. */
export function slackTokensContract(
  name: string,
  open: () => Promise<{ readonly tokens: SlackTokens; stop(): Promise<void> }>,
): void {
  describe(`${name}: tokens of Slack bots`, () => {
    test('each token is a secret: it is created, replaced, read and removed', async () => {
      const { tokens, stop } = await open();
      try {
        const id = await tokens.put('T1', { token: 'xoxb-1' });
        expect(await tokens.get(id)).toEqual({ token: 'xoxb-1' });
        const ending = { token: 'xoxe.xoxb-2', renewal: { refresh: 'xoxe-1', expiresAt: 43_200_000 } };
        expect(await tokens.put('T1', ending)).toBe(id);
        expect(await tokens.get(id)).toEqual(ending);
        const other = await tokens.put('T2', { token: 'xoxb-3' });
        expect(other).not.toBe(id);
        await tokens.remove(id);
        await expect(tokens.get(id, true)).rejects.toThrow();
        await tokens.remove(id);
        expect(await tokens.get(other, true)).toEqual({ token: 'xoxb-3' });
        expect(await tokens.put('T1', { token: 'xoxb-4' })).toBe(id);
        expect(await tokens.get(id)).toEqual({ token: 'xoxb-4' });
      } finally {
        await stop();
      }
    });
  });
}
