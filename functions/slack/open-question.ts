import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { Ask, Wait } from '../../shared/agent/session/waits.ts';
import { openAsks } from '../../shared/slack/words.ts';

/** Tells the person that a click or a form came too late. */
export const CLOSED =
  'This question is no longer open: it was answered, has expired, or the run was stopped.';

/** The open question with this id, of the session or of one below it. */
export const questionIn = (view: SessionView, id: string, now: number): Wait | Ask | undefined =>
  openAsks(view, now).find((one) => one.id === id && one.kind === 'question');
