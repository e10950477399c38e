import { describe, expect, test } from 'vitest';
import { type Reader, tellRest, tellUntilRest } from '../../../functions/routes/session-stream.ts';
import type { Ports } from '../../../shared/agent/ports/ports.ts';
import type { SessionView } from '../../../shared/agent/ports/sessions.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { isOutage } from '../../../shared/aws/outage.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import { refused } from '../../support/ag-ui.ts';

const key = { tenant: 't', sessionId: 's' };
const started: AgUiEvent = { type: 'RUN_STARTED', threadId: 's', runId: 'r' };
const text: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
const delta: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x' };
const failed: AgUiEvent = { type: 'RUN_ERROR', message: 'no', code: 'model_error' };
const frames = (...events: AgUiEvent[]): Frame[] =>
  events.map((event, i) => ({ seq: i + 1, prev: i, event }));

/** A session whose log has more of `told` at each look, and the clock that its reader sleeps by. */
function session(told: Frame[], more: Partial<SessionView> = {}, perLook = told.length) {
  let now = 0;
  let visible = 0;
  const view = {
    session: { ...newSession(key, 'worker', 'd'), eventSeq: told.at(-1)?.seq ?? 0 },
    tail: [],
    ...more,
  } as unknown as SessionView;
  const io = {
    clock: {
      now: () => now,
      async sleep(ms: number) {
        now += ms;
      },
    },
    sessions: { read: async () => view, slots: async () => [] },
    log: {
      async read(_key: unknown, after: number, limit: number) {
        visible = Math.min(told.length, visible + perLook);
        return told
          .slice(0, visible)
          .filter(({ seq }) => seq > after)
          .slice(0, limit);
      },
    },
  } as unknown as Pick<Ports, 'clock' | 'sessions' | 'log'>;
  return { io: { ...io, isOutage }, view };
}

function reader(deadlineAt = 60_000, more: Partial<Reader> = {}) {
  const written: string[] = [];
  const it: Reader = {
    key,
    threadId: 'my thread',
    deadlineAt,
    shown: async (event) => [event],
    closes: true,
    out: {
      async write(text) {
        written.push(text);
      },
      left: () => false,
    },
    mayStay: async () => true,
    ...more,
  };
  const events = (): AgUiEvent[] =>
    written
      .join('')
      .split('\n\n')
      .flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6))] : []));
  return { it, written, events };
}
const types = (events: AgUiEvent[]) => events.map(({ type }) => type);

describe('the SSE stream', () => {
  test('ends with the run, under the client’s own name of the session', async () => {
    const { io } = session(frames(started, text, delta, failed), {}, 1);
    const { it, events } = reader();
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(events()[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 'my thread' });
    expect(types(events())).toEqual([
      ...['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'RUN_ERROR'],
    ]);
  });

  test('before the deadline closes open events, and says where to resume', async () => {
    const { io } = session(frames(started, text, delta), { dueAt: 0 });
    const { it, events } = reader(20_000);
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(types(events()).slice(3)).toEqual(['TEXT_MESSAGE_END', 'CUSTOM']);
    expect(events().at(-1)).toMatchObject({ name: 'steploop.reconnect', value: { after: 3 } });
    expect(await refused(events())).toBeUndefined();
  });

  test('waits while the log cannot be read, and then continues where it was', async () => {
    const { io } = session(frames(started, text, delta, failed), {}, 1);
    const { read } = io.log;
    let looks = 0;
    io.log.read = (...asked) =>
      ++looks % 3 === 0
        ? Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
        : read(...asked);
    const { it, events } = reader();
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(types(events()).at(-1)).toBe('RUN_ERROR');
    expect(types(events())).toHaveLength(5);
    io.log.read = () => Promise.reject(new TypeError('a mistake of ours'));
    await expect(tellUntilRest(reader().it, 0, {}, io)).rejects.toThrow('a mistake of ours');
  });

  test.each([
    ['other agents work for the run', []],
    ['one of them asks people', [{ id: 'w2', reason: 'approval', message: 'Pay?', toolCallId: 'c2' }]],
  ])('goes on while %s, as one run', async (_, asked) => {
    const result = { success: false, state: 'waiting_for_tool', reason: 'awaiting_child' };
    const working = { id: 'w1', reason: 'child', message: 'clerk is at work.', toolCallId: 'c1' };
    const interrupts = [working, ...asked];
    const finished = (runId: string, outcome: object) =>
      ({ type: 'RUN_FINISHED', threadId: 's', runId, result, outcome }) as unknown as AgUiEvent;
    const told = frames(
      started,
      finished('r', { type: 'interrupt', interrupts }),
      { ...started, runId: 'r.1' },
      ...[text, delta, { type: 'TEXT_MESSAGE_END', messageId: 'm' } as AgUiEvent],
      finished('r.1', { type: 'success' }),
    );
    const { io } = session(told, {}, 1);
    const { it, events } = reader();
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(types(events())).toEqual([
      ...['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'RUN_FINISHED'],
    ]);
    expect(await refused(events())).toBeUndefined();
  });

  test('tells that others are at work when its time is over, and the end of the wait when nothing follows', async () => {
    const interrupts = [{ id: 'w1', reason: 'child', message: 'clerk is at work.', toolCallId: 'c1' }];
    const waiting = {
      ...{ type: 'RUN_FINISHED', threadId: 's', runId: 'r', result: {} },
      outcome: { type: 'interrupt', interrupts },
    } as unknown as AgUiEvent;
    const working = session(frames(started, waiting));
    Object.assign(working.view.session, { reason: 'awaiting_child' });
    const staying = reader(20_000);
    await tellUntilRest(staying.it, 0, {}, working.io);
    expect(types(staying.events())).toEqual(['RUN_STARTED', 'CUSTOM']);
    const ended = session(frames(started, waiting), { fence: { pending: ['w1'] } as never });
    const last = reader();
    await tellUntilRest(last.it, 0, {}, ended.io);
    expect(types(last.events())).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });

  test('sends a comment during a long silence', async () => {
    const { io } = session(frames(started), { dueAt: 0 });
    const { it, written } = reader(50_000);
    await tellUntilRest(it, 0, {}, io);
    expect(written.filter((text) => text === ': keep-alive\n\n')).toHaveLength(3);
  });

  test('ends when another response has replaced it, and says where to resume', async () => {
    const { io } = session(frames(started, text, delta), { dueAt: 0 });
    let looks = 0;
    const { it, events } = reader(900_000, { mayStay: async () => ++looks < 3 });
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(events().at(-1)).toMatchObject({ name: 'steploop.reconnect', value: { after: 3 } });
    // Each 5 s.
    expect(looks).toBe(3);
    expect(io.clock.now()).toBeLessThan(20_000);
  });

  test('ends when the client is known to have left', async () => {
    const { io } = session(frames(started, text, delta), { dueAt: 0 });
    const left = { write: async () => {}, left: () => io.clock.now() > 1_000 };
    expect(await tellUntilRest(reader(900_000, { out: left }).it, 0, {}, io)).toBe(true);
    expect(io.clock.now()).toBeLessThan(2_000);
  });

  test('sends an event that AG-UI accepts, even if there was none before its end', async () => {
    const { io } = session([], { dueAt: 0 });
    // It is due, and nothing is sent.
    Object.assign(io.sessions, { read: async () => ({ dueAt: 0, session: { eventSeq: 0 }, tail: [] }) });
    const { it, events } = reader(3_000);
    expect(await tellUntilRest(it, 0, {}, io)).toBe(true);
    expect(types(events())).toEqual(['RUN_STARTED', 'CUSTOM']);
    expect(await refused(events())).toBeUndefined();
  });

  test('contains the snapshot itself, which a WebSocket client must read separately', async () => {
    const needed: AgUiEvent = { type: 'CUSTOM', name: 'steploop.snapshot_needed', value: { why: 'long' } };
    const { io } = session(frames(started, needed, failed));
    const { it, events } = reader();
    await tellUntilRest(it, 0, {}, io);
    expect(types(events())).toEqual(['RUN_STARTED', 'CUSTOM', 'MESSAGES_SNAPSHOT', 'RUN_ERROR']);
  });

  test('sends nothing for an idle session that the client knows completely', async () => {
    const { io } = session([]);
    const { it, events } = reader();
    expect(await tellUntilRest(it, 0, {}, io)).toBe(false);
    expect(events()).toEqual([]);
  });

  const asks = (...ids: string[]) =>
    ({
      type: 'RUN_FINISHED',
      threadId: 's',
      runId: 'r',
      outcome: { type: 'interrupt', interrupts: ids.map((id) => ({ id, reason: 'approval' })) },
    }) as unknown as AgUiEvent;
  const pending = (...ids: string[]) => ({ fence: { pending: ids } }) as unknown as Partial<SessionView>;

  test('shows an idle session with the end of its last run, also if it waits for a person', async () => {
    const { io, view } = session([], { tail: frames(asks('i')), ...pending('i') });
    const { it, events } = reader();
    await tellRest(it, view, io);
    expect(types(events())).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(events().at(-1)).toMatchObject({ threadId: 'my thread', outcome: { type: 'interrupt' } });
    expect(await refused(events())).toBeUndefined();
  });

  test.each<[string, string[], object]>([
    ['both', ['i', 'j'], { type: 'interrupt', interrupts: [{ id: 'i' }, { id: 'j' }] }],
    ['the other', ['j'], { type: 'interrupt', interrupts: [{ id: 'j' }] }],
    ['none', [], { type: 'success' }],
  ])('lists undecided calls as open: %s', async (_what, open, outcome) => {
    const rest = session([], { tail: frames(asks('i', 'j')), ...pending(...open) });
    const atRest = reader();
    await tellRest(atRest.it, rest.view, rest.io);
    const replayed = session(frames(started, asks('i', 'j')), pending(...open));
    const following = reader();
    await tellUntilRest(following.it, 0, {}, replayed.io);
    for (const { events } of [atRest, following]) {
      expect(events().at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome });
      expect(await refused(events())).toBeUndefined();
    }
  });
});
