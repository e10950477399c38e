import { newRun } from '../../shared/agent/session/session.ts';
import type { Ask, Wait } from '../../shared/agent/session/waits.ts';
import type { slackApp } from './slack-app.ts';

/** The requests to people that are open, and the decisions on them. */
export interface Waiting {
  waits: readonly Wait[];
  asks: Ask[];
  decisions: Record<string, { by: string }>;
}

/** Has the sessions of a Slack app wait for these requests, whatever they are when a session is read. */
export function waitInThreads({ world }: Awaited<ReturnType<typeof slackApp>>, state: Waiting): void {
  const { read } = world.sessions;
  world.sessions.read = async (key) => {
    const view = await read(key);
    if (!view) return view;
    const { dueAt: _, ...rest } = view;
    const run = { ...newRun, id: 's-0', ended: true };
    const batch = { slot: 1, waits: state.waits, asks: state.asks, since: 0 };
    const pending = state.waits.map(({ id }) => id);
    return {
      ...rest,
      session: { ...view.session, version: 2, run, state: 'waiting_for_input', batch },
      fence: { ...view.fence, inbox: [], pending, decisions: state.decisions as never },
    };
  };
}
