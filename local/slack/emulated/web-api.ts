/** Methods of the Web API that the emulator lacks, or answers in another form than Slack. */

import { callerOf, type SlackMessage } from './caller.ts';
import { asPosted, brokenRule, isStreamFull } from './message-rules.ts';
import type { Shown } from './shown.ts';
import { StreamedPlan } from './stream-rules.ts';
import { withThreads } from './threads.ts';
import type { Workspace } from './workspace.ts';

/** A call of the Web API. */
export interface ApiCall {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
  readonly authorization: string;
}

/**
 * The answer of the front door itself; undefined for a call that is forwarded.
 *
 * @param streams whether the streaming methods exist
 */
export async function answerTo(
  { method, args, authorization }: ApiCall,
  { url, teamOf }: Workspace,
  shown: Shown,
  streams: boolean,
): Promise<object | undefined> {
  const { streaming, panes, homes, modals, whispered, removed, refusals, threadsOfReplies } = shown;
  const caller = callerOf(url, authorization);
  const { ts = '', markdown_text: markdown = '', channel = '' } = args;
  const refusal = refusals.get(method);
  const error = refusal && refusal.times-- > 0 ? refusal.error : brokenRule(method, args);
  if (error) return { ok: false, error };
  if (method.startsWith('chat.')) {
    shown.appAuthorization = authorization;
    if (removed.has(ts)) return { ok: false, error: 'message_not_found' };
  }
  switch (method) {
    case 'chat.postMessage': {
      const { markdown_text, ...rest } = args;
      const text = markdown_text ?? asPosted(args.text ?? '');
      return text === args.text ? undefined : caller.call('chat.postMessage', { ...rest, text });
    }
    case 'chat.startStream': {
      if (!streams) return { ok: false, error: 'unknown_method' };
      if (!args.thread_ts) return { ok: false, error: 'invalid_thread_ts' };
      if (!args.recipient_user_id || !args.recipient_team_id)
        return { ok: false, error: 'missing_recipient_user_id' };
      const plan = args.chunks ? new StreamedPlan() : undefined;
      plan?.take(JSON.parse(args.chunks ?? '[]'));
      const posted = await caller.call<{ ts: string }>('chat.postMessage', {
        channel,
        thread_ts: args.thread_ts,
        text: String(plan ?? (markdown || ' ')),
      });
      streaming.set(posted.ts, markdown);
      if (plan) shown.plans.set(posted.ts, plan);
      return { ok: true, channel, ts: posted.ts };
    }
    case 'chat.appendStream':
    case 'chat.stopStream': {
      const text = streaming.get(ts);
      if (text === undefined) return { ok: false, error: 'message_not_in_streaming_state' };
      if (isStreamFull(text + markdown)) return { ok: false, error: 'msg_too_long' };
      const plan = shown.plans.get(ts);
      if (args.chunks ? !plan : markdown && plan) return { ok: false, error: 'streaming_mode_mismatch' };
      plan?.take(JSON.parse(args.chunks ?? '[]'));
      const { blocks } = args;
      await caller.call('chat.update', {
        channel,
        ts,
        text: String(plan ?? (text + markdown || ' ')),
        ...(blocks && { blocks }),
      });
      if (method === 'chat.stopStream') streaming.delete(ts);
      else streaming.set(ts, text + markdown);
      return { ok: true, channel, ts };
    }
    case 'chat.update':
      if (streaming.has(ts)) return { ok: false, error: 'streaming_state_conflict' };
      if (!markdown) return undefined;
      return caller.call('chat.update', { channel, ts, text: markdown });
    case 'chat.postEphemeral':
      whispered.push({ user: args.user ?? '', text: args.text ?? '' });
      return { ok: true, message_ts: '1.1' };
    case 'assistant.threads.setSuggestedPrompts':
    case 'assistant.threads.setTitle':
    case 'assistant.threads.setStatus': {
      const { thread_ts: thread = '', prompts, title, status } = args;
      if (!panes.has(thread)) return { ok: false, error: 'invalid_thread_ts' };
      const shown = {
        ...(prompts && { prompts: JSON.parse(prompts) }),
        ...(title && { title }),
        ...(status && { status }),
      };
      panes.set(thread, { ...panes.get(thread), ...shown });
      return { ok: true };
    }
    case 'conversations.replies': {
      // The `ts` of a reply gives that reply (docs.slack.dev, conversations.replies).
      const thread = threadsOfReplies.get(ts);
      if (!thread) return undefined;
      const { messages } = await caller.call<{ messages: SlackMessage[] }>(method, { channel, ts: thread });
      return { ok: true, messages: withThreads(messages).filter((one) => one.ts === ts) };
    }
    case 'files.getUploadURLExternal':
      // docs.slack.dev, files.getUploadURLExternal: "missing_argument" for a length of 0.
      if (!shown.scopes.includes('files:write'))
        return { ok: false, error: 'missing_scope', needed: 'files:write' };
      return args.length === '0' ? { ok: false, error: 'missing_argument' } : undefined;
    case 'users.info': {
      // People of another organisation have its workspace.
      const answer = await caller.call<{ user?: object }>(method, args);
      return { ...answer, user: { ...answer.user, team_id: teamOf(args.user) } };
    }
    case 'views.open': {
      const error = modals.open(args.trigger_id ?? '', JSON.parse(args.view ?? 'null'));
      return error ? { ok: false, error } : { ok: true, view: { id: 'V0FORM' } };
    }
    case 'views.publish':
      homes.set(args.user_id ?? '', JSON.parse(args.view ?? 'null'));
      return undefined;
    default:
      return undefined;
  }
}
