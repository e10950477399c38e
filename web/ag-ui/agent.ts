/**
 * A session as an AG-UI agent, over the WebSocket client: any AG-UI front end can drive it. It needs `@ag-ui/client`,
 * which the client itself does not.
 *
 * @example
 * const agent = new SteploopAgent({ client: connect({ httpUrl, socketUrl, token }), agent: 'triage' });
 * agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Hello' });
 * await agent.runAgent();
 */

import { AbstractAgent, type AgentConfig, type BaseEvent, type RunAgentInput } from '@ag-ui/client';
import { Observable, type Subscriber } from 'rxjs';
import { shownTo, toDecision, withOpen } from '../../shared/contract/ag-ui.ts';
import { withParts } from '../../shared/contract/ag-ui-parts.ts';
import type { AgUiEvent, DecidedBefore } from '../../shared/contract/events.ts';
import type { PageBody } from '../../shared/contract/page-input.ts';
import type { PageState } from '../../shared/contract/page-state.ts';
import type { Accepted } from '../client/answers.ts';
import type { Client, From, SessionInfo } from '../client/connect.ts';
import { ProblemError } from '../client/problem.ts';
import { answerCalls, linksIn, type NewMessage, newMessage, ownIds, pageOf, uploaded } from './said.ts';

/** Options of `SteploopAgent`. */
export interface SteploopAgentConfig extends Omit<AgentConfig, 'threadId'> {
  /** A client that does not follow the same session elsewhere: a session has one subscription in a client. */
  readonly client: Client;
  /** Name of the agent for a new session. */
  readonly agent: string;
  /** An existing session. Without it, the first run starts one, and the agent's `threadId` is its id from then on. */
  readonly sessionId?: string;
}

/** One session, or the one that the first run starts, for a front end that speaks AG-UI. */
export class SteploopAgent extends AbstractAgent {
  client: Client;
  agentName: string;
  sessionId: string | undefined;

  constructor({ client, agent, sessionId, ...config }: SteploopAgentConfig) {
    super({ ...config, ...(sessionId !== undefined && { threadId: sessionId }) });
    this.client = client;
    this.agentName = agent;
    this.sessionId = sessionId;
  }

  /**
   * Sends the last user message, once by its id, with the tools of the input; and the answers to interrupts and to calls of these
   * tools. Then delivers the session's events until it rests. Unsubscribing only ends the subscription; the run continues.
   */
  override run(input: RunAgentInput): Observable<BaseEvent> {
    return this.following(input, (signal) => this.send(input, signal));
  }

  /** Shows the messages so far, and follows the session until it rests. */
  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    return this.following(input, () => this.fromTheStart());
  }

  /** Stops the run itself. Its stream then ends as cancelled. */
  override abortRun(): void {
    if (this.sessionId !== undefined) void this.client.cancel(this.sessionId).catch(() => {});
  }

  override clone(): SteploopAgent {
    const { client, agentName, sessionId } = this;
    return Object.assign(super.clone() as SteploopAgent, { client, agentName, sessionId });
  }

  private following(
    input: RunAgentInput,
    begin: (signal: AbortSignal) => Promise<Start | Rest | undefined>,
  ): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const left = new AbortController();
      Promise.all([begin(left.signal), ownIds(input.messages)])
        .then(([start, own]) => {
          if (left.signal.aborted) return;
          const toOwner = shownTo({
            ...{ runId: input.runId, own, late: start?.late ?? [] },
            tools: new Set(input.tools.map(({ name }) => name)),
            ...{ sharesState: true, state: start?.state },
          });
          const links = start?.links ?? new Map();
          const shown = (event: AgUiEvent) =>
            toOwner(event).map((one) =>
              one.type === 'STATE_SNAPSHOT' || one.type === 'STATE_DELTA'
                ? toBase(one)
                : toBase(withParts(one, links)),
            );
          if (start && 'from' in start) return follow(this.client, start, shown, subscriber, left.signal);
          for (const event of start?.ended.flatMap(shown) ?? []) subscriber.next(event);
          subscriber.complete();
        })
        .catch((error: unknown) => subscriber.error(error));
      return () => left.abort();
    });
  }

  private async send(input: RunAgentInput, signal: AbortSignal): Promise<Start | Rest | undefined> {
    const news = newMessage(input.messages);
    const page = pageOf(input);
    if (this.sessionId === undefined) return news && this.startSession(news, page);
    const { sessionId, client } = this;
    // Read before anything is sent, so that everything from here on is shown.
    const before = await client.session(sessionId);
    const resume = input.resume ?? [];
    const second: { id: string; error: ProblemError }[] = [];
    for (const decision of resume.map(toDecision)) {
      if (signal.aborted) break;
      await client.decide(sessionId, decision).catch((error: unknown) => {
        // A decision that came second must not keep the others from counting.
        if (!(error instanceof ProblemError && error.problem.status === 409)) throw error;
        second.push({ id: decision.id, error });
      });
    }
    const answered = await answerCalls(sessionId, input.messages, client);
    const sent = news && (await this.say(sessionId, news, page));
    const isNew = sent?.duplicate === false || resume.length > second.length || answered.counted > 0;
    if (!isNew && second[0]) throw second[0].error;
    const late = [
      ...second.map(({ id, error }) => ({ id, detail: error.problem.detail ?? error.problem.title })),
      ...answered.late,
    ];
    if (!isNew) {
      const start = await this.fromTheStart();
      return start && { ...start, late };
    }
    return { sessionId, least: before.cursor + 1, from: { after: before.cursor, ...goingOn(before) }, late };
  }

  private async say(
    sessionId: string,
    { id, content }: NewMessage,
    page: PageBody | undefined,
  ): Promise<Accepted> {
    const { client } = this;
    const options = { idempotencyKey: id, ...(page && { page }) };
    return client.addMessage(sessionId, await uploaded(content, client), options);
  }

  private async startSession({ id, content }: NewMessage, page: PageBody | undefined): Promise<Start> {
    const message = await uploaded(content, this.client);
    const started = await this.client.createSession(
      { agent: this.agentName, message, ...(page && { page }) },
      { idempotencyKey: id },
    );
    this.sessionId = started.sessionId;
    this.threadId = started.sessionId;
    return { sessionId: started.sessionId, least: 1, from: {} };
  }

  /** The state so far, and the current run; for a session at rest, how its last run ended. */
  private async fromTheStart(): Promise<Start | Rest | undefined> {
    const { sessionId, client } = this;
    if (sessionId === undefined) return undefined;
    const session = await client.session(sessionId);
    const { cursor, state, run } = session;
    const messages = await client.messages(sessionId);
    const links = await linksIn(messages, sessionId, client);
    const common = { sessionId, links, state: (await client.pageState(sessionId)) ?? undefined };
    if (state === 'running') {
      return { ...common, least: cursor + 1, from: { after: cursor, messages, ...goingOn(session) } };
    }
    if (!run) return undefined;
    // The end of a run comes with a commit, and the frames of one step share a million numbers.
    const { frames } = await client.events(sessionId, cursor - (cursor % 1_000_000));
    const end = frames.findLast(({ event }) => isTerminal(event));
    const open = session.waits.map(({ id }) => id);
    const started: AgUiEvent = { type: 'RUN_STARTED', threadId: sessionId, runId: run.id };
    const ended = end
      ? [started, { type: 'MESSAGES_SNAPSHOT' as const, messages }, withOpen(end.event, open)]
      : [];
    return { ...common, ended };
  }
}

/** The outcome of a session at rest. */
interface Rest {
  readonly sessionId: string;
  readonly ended: readonly AgUiEvent[];
  readonly links: ReadonlyMap<string, string>;
  /** The state of the session's pages; absent if there is none. */
  readonly state?: PageState | undefined;
  /** Answers that came after another one. */
  readonly late?: readonly DecidedBefore[];
}

/** The point at which following begins. */
interface Start {
  readonly sessionId: string;
  /** A run's end with a seq below this was known before. */
  readonly least: number;
  readonly from: From;
  /** Answers that came after another decision. */
  readonly late?: readonly DecidedBefore[];
  /** The state of the session's pages, for one that may have missed some of it. */
  readonly state?: PageState | undefined;
  /** Links to attachments of users' messages, by hash. */
  readonly links?: ReadonlyMap<string, string>;
}

const goingOn = ({ run }: SessionInfo): From => (run && !run.ended ? { runId: run.id } : {});

const isTerminal = ({ type }: AgUiEvent) => type === 'RUN_FINISHED' || type === 'RUN_ERROR';

/** `test/unit/events/events.test.ts` checks our events against the schemas of `@ag-ui/core`. */
const toBase = (event: object) => event as unknown as BaseEvent;

/** Delivers the events until the session rests. */
function follow(
  client: Client,
  { sessionId, least, from }: Start,
  shown: (event: AgUiEvent) => BaseEvent[],
  subscriber: Subscriber<BaseEvent>,
  left: AbortSignal,
): void {
  const completeAtRest = async (seq: number) => {
    const { state, cursor } = await client.session(sessionId);
    if (state !== 'running' && cursor <= seq) subscriber.complete();
  };
  const subscription = client.subscribe(
    sessionId,
    {
      onEvent(event, seq) {
        for (const seen of shown(event)) subscriber.next(seen);
        if (isTerminal(event) && seq >= least)
          completeAtRest(seq).catch((error: unknown) => subscriber.error(error));
      },
      onRefused: (error) => subscriber.error(error),
    },
    from,
  );
  left.addEventListener('abort', () => subscription.close());
}
