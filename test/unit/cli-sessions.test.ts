import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askedOf, cardOf, questionOf } from '../../cli/sessions/card.ts';
import { follow } from '../../cli/sessions/follow.ts';
import { placeOf } from '../../cli/sessions/place.ts';
import { plain } from '../../local/paint.ts';
import { keepReach } from '../../local/reach.ts';
import type { Frame } from '../../shared/contract/events.ts';
import type { WaitInfo } from '../../shared/contract/http.ts';
import type { SessionInfo } from '../../web/client/index.ts';

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

describe('a session as people read it', () => {
  it('says what it is, how it stands, what it has used and what it asks', () => {
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

  it('says how its last run ended, and nothing that would steer the terminal', () => {
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

  it('shows all of what a decision is about, and where that is not all', () => {
    const whole = { ...wait, whole: 'transfer\nn: 7\nto: acme', isWhole: true, isAsAsked: true };
    expect(questionOf(whole, 80)).toEqual([
      'w1: approval of transfer, until 2026-11-24T00:00:00.000Z',
      '  transfer',
      '  n: 7',
      '  to: acme',
    ]);
    const lines = questionOf({ ...whole, isWhole: false, isAsAsked: false }, 80);
    expect(lines.at(-2)).toContain('cannot be shown');
    expect(lines.at(-1)).toContain('counts for nothing');
  });
});

describe('following a session', () => {
  const frame = (seq: number): Frame =>
    ({ seq, event: { type: 'STEP_STARTED', stepName: `${seq}` } }) as unknown as Frame;

  it('tells every event once, page by page, and ends when its run has, with all of it told', async () => {
    const pages = [[frame(1), frame(2)], [frame(3)], [], [frame(4)], []];
    const looks: SessionInfo[] = [
      // It has ended, and its last event is in no page yet.
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

describe('the deployment that is meant', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'steploop-cli-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const here = { httpUrl: 'http://127.0.0.1:4000', token: 'local' };

  it('is the one of the environment, before one that runs here', () => {
    keepReach(join(folder, '.data'), here);
    const there = { STEPLOOP_URL: 'https://api', STEPLOOP_TOKEN: 'key' };
    expect(placeOf(there, folder)).toEqual({ httpUrl: 'https://api', token: 'key' });
    expect(placeOf({}, folder)).toEqual(here);
  });

  it('is kept for its owner alone', () => {
    keepReach(join(folder, '.data'), here);
    expect(statSync(join(folder, '.data', 'deployment.json')).mode & 0o777).toBe(0o600);
  });

  it('is none where nothing says so, or half of it', () => {
    expect(() => placeOf({}, folder)).toThrow('STEPLOOP_URL is not set, and nothing has run here.');
    keepReach(join(folder, '.data'), here);
    // A token of here is for nobody else.
    expect(() => placeOf({ STEPLOOP_URL: 'https://api' }, folder)).toThrow('STEPLOOP_TOKEN is not set.');
    writeFileSync(join(folder, '.data', 'deployment.json'), '{"httpUrl":1}');
    expect(() => placeOf({}, folder)).toThrow('nothing has run here');
  });
});
