import { describe, expect, test } from 'vitest';
import { attempt } from '../attempts.ts';
import type { Target } from '../target.ts';

const KIND = 'altered decisions and grants';
const grant = { scope: 'run', alike: 'tool', uses: 3 };
const altered: readonly [what: string, body: object][] = [
  ['approved as a text', { approved: 'true' }],
  ['approved as a number', { approved: 1 }],
  ['approved as an object', { approved: { valueOf: 1 } }],
  ['approved left out', { approved: undefined }],
  ['a change of no plan', { approved: [1] }],
  ['a change below the first', { approved: [0] }],
  ['half a change', { approved: [1.5] }],
  ['an id in a list', { id: ['w'], approved: true }],
  ['no id', { id: undefined, approved: true }],
  ['an unknown key', { approved: true, by: 'user:root' }],
  ['another decider', { approved: true, subject: 'operator' }],
  ['roles of its own', { approved: true, roles: ['steploop-admin'] }],
  ['a grant for every tool', { approved: true, grant: { ...grant, tool: '*' } }],
  ['a grant for the tenant', { approved: true, grant: { ...grant, scope: 'tenant' } }],
  ['a grant for all calls', { approved: true, grant: { ...grant, alike: 'any' } }],
  ['a grant of 101 uses', { approved: true, grant: { ...grant, uses: 101 } }],
  ['a grant of less than one use', { approved: true, grant: { ...grant, uses: 0 } }],
  ['a grant of half a use', { approved: true, grant: { ...grant, uses: 1.5 } }],
  ['a grant for longer than 30 days', { approved: true, grant: { ...grant, seconds: 2_592_001 } }],
  ['a grant for no time', { approved: true, grant: { ...grant, seconds: -1 } }],
  ['a grant by another person', { approved: true, grant: { ...grant, by: 'user:root' } }],
  ['a grant at a level', { approved: true, grant: { ...grant, level: 'safe' } }],
  ['a grant as a text', { approved: true, grant: 'session' }],
  ['a refusal that grants', { approved: false, grant }],
];

export function decisions(it: () => Target): void {
  describe('a decision with', () => {
    let asked: Promise<{ id: string; session: { waits: { id: string }[] } }> | undefined;
    const asking = async () => {
      const ada = await it().user('ada');
      asked ??= it().rested(ada, 'transfer');
      const { id, session } = await asked;
      return { ada, id, wait: session.waits[0]?.id ?? '' };
    };

    test.each(altered)('%s is refused, and nothing runs', async (_what, body) => {
      attempt(KIND);
      const { ada, id, wait } = await asking();
      const answer = await ada('POST', `/sessions/${id}/decisions`, { id: wait, ...body });
      expect(answer).toMatchObject({ status: 400 });
      expect((await ada('GET', `/sessions/${id}`)).body).toMatchObject({ waits: [{ id: wait }], grants: [] });
      expect(it().world.toolStarts.filter(({ name }) => name === 'transfer')).toEqual([]);
    });

    test.each([
      ['a part of the id', (wait: string) => wait.slice(0, -1)],
      ['the id and more', (wait: string) => `${wait}-1`],
      ['the id in other letters', (wait: string) => wait.toUpperCase()],
      ['the name of a prototype', () => 'constructor'],
      ['an empty id', () => ' '],
    ])('%s decides nothing', async (_what, alter) => {
      attempt(KIND);
      const { ada, id, wait } = await asking();
      const { status } = await ada('POST', `/sessions/${id}/decisions`, { id: alter(wait), approved: true });
      expect([400, 404]).toContain(status);
    });

    test('everything right counts once: a repetition is told so, and the opposite has no effect', async () => {
      attempt('replays', 2);
      const { ada, id, wait } = await asking();
      const post = (approved: boolean) => ada('POST', `/sessions/${id}/decisions`, { id: wait, approved });
      expect(await post(true)).toMatchObject({ status: 202 });
      expect(await post(true)).toMatchObject({ status: 200, body: { result: 'already_decided' } });
      expect(await post(false)).toMatchObject({ status: 409 });
      await expect
        .poll(() => it().world.toolStarts.filter(({ name }) => name === 'transfer').length, {
          timeout: 20_000,
        })
        .toBe(1);
    });
  });
}
