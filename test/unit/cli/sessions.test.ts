import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../cli/ends.ts';
import { cardOf, questionOf } from '../../../cli/sessions/card.ts';
import { askedFor, listed, tableOf } from '../../../cli/sessions/list.ts';
import { placeOf } from '../../../cli/sessions/place.ts';
import { everyStep, stepsTable } from '../../../cli/sessions/steps.ts';
import { plain } from '../../../local/paint.ts';
import { keepReach } from '../../../local/reach.ts';
import type { Frame } from '../../../shared/contract/events.ts';
import type { WaitInfo } from '../../../shared/contract/http.ts';
import { askedOf } from '../../../shared/doors/asked.ts';
import { follow } from '../../../shared/doors/follow.ts';
import type { SessionInfo, SessionRow, SessionsAsked, StepInfo } from '../../../web/client/index.ts';

const wait: WaitInfo = {
  id: 'w1',
  kind: 'approval',
  tool: 'transfer',
  toolCallId: 'c1',
  message: 'transfer\nn: 7',
  expiresAt: '2026-11-24T00:00:00.000Z',
};
const session: SessionInfo = {
  sessionId: 's1',
  agent: 'worker',
  state: 'waiting_for_input',
  reason: 'waiting_for_input' as SessionInfo['reason'] & string,
  run: { id: 's1-0', steps: 2, toolCalls: 1, ended: false },
  totals: { input: 1200, output: 30, cacheRead: 0, cacheWrite: 0, costUsd: 0.5, infraUsd: 0.00008 },
  waits: [wait, { ...wait, id: 'w2', kind: 'call', tool: 'haul' }],
  grants: [],
  cursor: 9,
};

describe('a session in readable form', () => {
  it('shows its agent, state, usage and open questions', () => {
    expect(cardOf(session, plain)).toEqual([
      'session  s1',
      'agent    worker',
      'state    waiting_for_input',
      'run      s1-0: 2 steps, 1 call',
      'used     1,200 tokens in, 30 out; $0.5000 for models, $0.00008 for infrastructure',
      'asks     w1: approval of transfer, until 2026-11-24T00:00:00.000Z',
      'waits    w2: call of haul, until 2026-11-24T00:00:00.000Z',
    ]);
    expect(askedOf(session)).toEqual([wait]);
  });

  it('shows how its last run ended, without control characters for the terminal', () => {
    const lastEnding = {
      state: 'error',
      reason: 'provider_error',
      code: 'authentication_error',
      message: '\u001b[2Jwrong key',
      at: '2026-11-23T00:00:00.000Z',
    } as const;
    const lines = cardOf(
      { ...session, state: 'error', reason: 'provider_error', waits: [], lastEnding },
      plain,
    );
    expect(lines).toContain('state    error, provider_error');
    expect(lines).toContain('ended    2026-11-23T00:00:00.000Z, authentication_error: [2Jwrong key');
  });

  it('shows everything that a decision is about, or says that it is cut', () => {
    const whole = { ...wait, whole: 'transfer\nn: 7\nto: acme', isWhole: true, isAsAsked: true };
    expect(questionOf(whole, 80)).toEqual([
      'w1: approval of transfer, until 2026-11-24T00:00:00.000Z',
      '  transfer',
      '  n: 7',
      '  to: acme',
    ]);
    const lines = questionOf({ ...whole, isWhole: false, isAsAsked: false }, 80);
    expect(lines.at(-2)).toContain('cannot be shown');
    expect(lines.at(-1)).toContain('has no effect');
  });
});

describe('a list of sessions', () => {
  const row = (n: number, over: Partial<SessionRow> = {}): SessionRow => ({
    ...{ sessionId: `s${n}`, agent: 'worker', state: 'completed', title: `Order ${n}`, source: 'http' },
    ...{ createdAt: '2026-11-23T08:00:00.000Z', movedAt: '2026-11-23T09:30:05.000Z', steps: n },
    totals: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0.25 },
    ...over,
  });

  it('is a table with a line per session, without control characters for the terminal', () => {
    const rows = [
      row(1, { state: 'error', reason: 'provider_error', title: 'Where\n is \u001b[2J it?' }),
      row(2, { state: 'waiting_for_input', reason: 'awaiting_approval', waits: 2 }),
      row(3, { title: 'x'.repeat(300) }),
      row(4, { title: '' }),
    ];
    const lines = tableOf(rows, plain, 130);
    expect(lines.slice(0, 3)).toEqual([
      'session  state                  agent   moved (UTC)          steps  cost     title',
      's1       provider_error         worker  2026-11-23 09:30:05  1      $0.2500  Where is [2J it?',
      's2       waiting_for_input (2)  worker  2026-11-23 09:30:05  2      $0.2500  Order 2',
    ]);
    expect(lines[3]).toHaveLength(130);
    expect(lines[4]).toMatch(/\(no title\)$/);
  });

  it('describes its options, and says what is wrong with them', () => {
    const now = Date.UTC(2026, 10, 23, 12);
    expect(askedFor({}, now)).toEqual({ most: 20, limit: 20 });
    expect(askedFor({ state: 'error,running', search: 'order', since: '2h', all: true }, now)).toEqual({
      ...{ most: Number.POSITIVE_INFINITY, limit: 100, state: ['error', 'running'], q: 'order' },
      since: '2026-11-23T10:00:00.000Z',
    });
    for (const wrong of [{ state: 'broken' }, { since: 'yesterday' }, { limit: '0' }, { limit: 'x' }])
      expect(() => askedFor(wrong, now), JSON.stringify(wrong)).toThrow(WrongUsage);
  });

  it('continues over short and empty pages until it has enough, or there are no more', async () => {
    const pages = [[row(1)], [], [row(2), row(3)], [row(4)]];
    const asked: SessionsAsked[] = [];
    const sessions = async (query: SessionsAsked = {}) => {
      asked.push(query);
      const i = Number(query.cursor ?? 0);
      return { sessions: pages[i] ?? [], ...(i + 1 < pages.length && { next: String(i + 1) }) };
    };
    const idsOf = async (most: number) =>
      (await listed({ sessions }, { most, limit: 2 })).map(({ sessionId }) => sessionId);
    expect(await idsOf(2)).toEqual(['s1', 's2']);
    expect(asked).toEqual([{ limit: 2 }, { limit: 2, cursor: '1' }, { limit: 2, cursor: '2' }]);
    expect(await idsOf(Number.POSITIVE_INFINITY)).toEqual(['s1', 's2', 's3', 's4']);
  });
});

describe('the steps of a session in readable form', () => {
  const usage = { input: 900, output: 30, cacheRead: 100, cacheWrite: 0 };
  const step = (over: Partial<StepInfo>): StepInfo => ({
    ...{ runId: 'r', step: 1, slots: [0], kind: 'model', times: {}, verdicts: [], calls: [], text: '' },
    ...over,
  });

  it('have a line each, with slow parts, cost, and who decided', () => {
    const lines = stepsTable(
      [
        step({
          ...{ slots: [0, 1], attempt: 2, stop: 'tool_use', usage, costUsd: 0.02, infraUsd: 0.001 },
          times: { queueMs: 31_200, claimMs: 9, modelMs: 850, waitMs: 240_000, toolsMs: 1_240 },
          verdicts: [{ guard: 'counts', kind: 'warn', code: 'again' }],
          calls: [
            { id: 'c1', name: 'transfer', outcome: 'ok', decidedBy: 'user:bob' },
            { id: 'c2', name: 'dig', outcome: 'refused', decidedBy: 'user:eve', decision: 'denied' },
          ],
          text: 'On \u001b[2Jit.\nNow.',
        }),
        step({ slots: [2] }),
        step({
          ...{ slots: [3], kind: 'fold', costUsd: 0.001, estimated: true },
          fold: {
            why: 'size',
            tokens: { before: 900, after: 90 },
            left: { messages: 2, tokens: 800 },
            start: 2,
          },
        }),
      ],
      plain,
      200,
    );
    expect(lines).toEqual([
      'slot  step          queue   claim  model   wait   tools  tokens     cost            what',
      '0     1, attempt 2  31.2 s  9 ms   850 ms  4 min  1.2 s  1000 > 30  $0.0210         transfer (approved by user:bob), dig refused (denied by user:eve) [counts: again] On [2Jit. Now.',
      '2     1                                                             $0.00000        no reply',
      '3     1                                                             about $0.00100  fold (size), 900 to 90 tokens',
    ]);
    expect(stepsTable([step({ text: 'x'.repeat(200) })], plain, 100)[1]).toHaveLength(100);
  });

  it('are read page by page', async () => {
    const asked: unknown[] = [];
    const steps = async (_: string, page: object = {}) => {
      asked.push(page);
      return asked.length === 1
        ? { steps: [step({})], costUsd: 0, next: '7' }
        : { steps: [step({ slots: [7] })], costUsd: 0 };
    };
    expect((await everyStep({ steps }, 's1')).map(({ slots }) => slots)).toEqual([[0], [7]]);
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, from: '7' }]);
  });
});

describe('following a session', () => {
  const frame = (seq: number): Frame =>
    ({ seq, event: { type: 'STEP_STARTED', stepName: `${seq}` } }) as unknown as Frame;

  it('prints every event once, page by page, and ends after the run has ended and everything is printed', async () => {
    const pages = [[frame(1), frame(2)], [frame(3)], [], [frame(4)], []];
    const looks: SessionInfo[] = [
      // The run has ended, and its last event is in no page yet.
      { ...session, state: 'completed', cursor: 4 },
      { ...session, state: 'completed', cursor: 4 },
    ];
    const asked: number[] = [];
    const told: unknown[] = [];
    const client = {
      async events(_id: string, after: number) {
        asked.push(after);
        const frames = pages.shift() ?? [];
        return { frames, next: frames.at(-1)?.seq ?? after };
      },
      session: async () => looks.shift() as SessionInfo,
    };
    const end = await follow(client, 's1', 0, (event) => told.push(event));
    expect(end.state).toBe('completed');
    expect(told).toHaveLength(4);
    expect(asked).toEqual([0, 2, 3, 3, 4]);
  });
});

describe('the selected deployment', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'steploop-cli-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const here = { httpUrl: 'http://127.0.0.1:4000', token: 'local' };

  it('is the one of the environment, before one that runs locally', () => {
    keepReach(join(folder, '.data'), here);
    const there = { STEPLOOP_URL: 'https://api', STEPLOOP_TOKEN: 'key' };
    expect(placeOf(there, folder)).toEqual({ httpUrl: 'https://api', token: 'key' });
    expect(placeOf({}, folder)).toEqual(here);
  });

  it('is stored readable by its owner only', () => {
    keepReach(join(folder, '.data'), here);
    expect(statSync(join(folder, '.data', 'deployment.json')).mode & 0o777).toBe(0o600);
  });

  it('is undefined if it is not configured, or only half of it', () => {
    expect(() => placeOf({}, folder)).toThrow('STEPLOOP_URL is not set, and no deployment has run here.');
    keepReach(join(folder, '.data'), here);
    // A local token is sent to no other server.
    expect(() => placeOf({ STEPLOOP_URL: 'https://api' }, folder)).toThrow('STEPLOOP_TOKEN is not set.');
    writeFileSync(join(folder, '.data', 'deployment.json'), '{"httpUrl":1}');
    expect(() => placeOf({}, folder)).toThrow('no deployment has run here');
  });
});
