import { randomUUID } from 'node:crypto';
import { AgentCard, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler, V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import type { Internet } from '../../../shared/memory/egress.ts';

export const ADDRESS = 'https://agents.example.com/travel';

/** A request that an agent received: its JSON-RPC method, or the path of a GET. */
export interface Heard {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is the method's affair
  readonly params: any;
  /** The id of its JSON-RPC request. */
  readonly id?: unknown;
  readonly headers: Headers;
}

/** Answers of an agent to a message: the next states of its task, or a message in place of a task. */
export type Acts = (
  text: string,
  turn: { readonly messageId: string; readonly taskId: string; readonly isNew: boolean },
) => Act | Promise<Act>;
export type Act =
  | { readonly reply: string }
  | { readonly state: TaskState; readonly says?: string; readonly artifacts?: readonly Part[][] };

export const textPart = (value: string): Part => part({ $case: 'text', value });
export const part = (content: NonNullable<Part['content']>, filename = '', mediaType = ''): Part => ({
  ...{ content, metadata: undefined, filename, mediaType },
});

/** A stand-in for an answer, by method; undefined for the correct one. */
export type Lies = (heard: Heard, request: Request) => Response | undefined | Promise<Response | undefined>;

export interface RemoteDouble {
  readonly internet: Internet;
  readonly heard: readonly Heard[];
  /** Ends a task that works. */
  end(taskId: string, act: Extract<Act, { state: TaskState }>): Promise<void>;
  /** The states of all tasks now, as the agent's clients see them. */
  states(): Promise<(TaskState | undefined)[]>;
  /** The tasks that were begun, by id, as their last message has left them. */
  readonly tasks: ReadonlyMap<string, Task>;
  methods(): string[];
}

/** An agent of another system: the server of the official SDK, under a public name. */
export function remoteDouble(
  acts: Acts,
  { version = '1.0', lies, url = ADDRESS }: { version?: '1.0' | '0.3'; lies?: Lies; url?: string } = {},
): RemoteDouble {
  const heard: Heard[] = [];
  const tasks = new Map<string, Task>();
  const card = cardAt(url, version);
  const store = new InMemoryTaskStore();
  const context = (of: string) => new ServerCallContext({ requestedVersion: of });

  const taskOf = (id: string, contextId: string, act: Extract<Act, { state: TaskState }>): Task => ({
    ...{ id, contextId, metadata: undefined, history: [] },
    status: {
      ...{ state: act.state, timestamp: undefined },
      message: act.says === undefined ? undefined : said(act.says, id, contextId),
    },
    artifacts: (act.artifacts ?? []).map((parts, i) => ({
      ...{ artifactId: `a${i}`, name: 'answer', description: '', metadata: undefined, extensions: [] },
      parts: [...parts],
    })),
  });
  const executor = {
    async execute(asked: RequestContext, bus: ExecutionEventBus): Promise<void> {
      const { userMessage, taskId, contextId, task } = asked;
      const text = userMessage.parts
        .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
        .join('');
      const act = await acts(text, { messageId: userMessage.messageId, taskId, isNew: task === undefined });
      if ('reply' in act) bus.publish(AgentEvent.message(said(act.reply, '', contextId)));
      else {
        const now = taskOf(taskId, contextId, act);
        tasks.set(taskId, now);
        bus.publish(AgentEvent.task(now));
      }
      bus.finished();
    },
    async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
      const before = tasks.get(taskId);
      const now = taskOf(taskId, before?.contextId ?? '', { state: TaskState.TASK_STATE_CANCELED });
      tasks.set(taskId, now);
      bus.publish(AgentEvent.task(now));
      bus.finished();
    },
  };
  const pushes = new InMemoryPushNotificationStore();
  const sender = new DefaultPushNotificationSender(pushes, {
    serializers: { '0.3': new V03PushNotificationSerializer() },
  });
  const handler = new DefaultRequestHandler(card, store, executor, undefined, pushes, sender);
  const byVersion = {
    '1.0': new JsonRpcTransportHandler(handler),
    '0.3': new LegacyJsonRpcTransportHandler(handler),
  };
  return {
    heard,
    tasks,
    states: () =>
      Promise.all([...tasks.keys()].map(async (id) => (await store.load(id, context('1.0')))?.status?.state)),
    methods: () => heard.map(({ method }) => method),
    async end(taskId, act) {
      const now = taskOf(taskId, tasks.get(taskId)?.contextId ?? '', act);
      tasks.set(taskId, now);
      await store.save(now, context('1.0'));
      const value = { taskId, contextId: now.contextId, status: now.status, metadata: undefined };
      await sender.send({ payload: { $case: 'statusUpdate', value } }, context('1.0'), now);
    },
    async internet(request) {
      const { pathname } = new URL(request.url);
      const body = request.method === 'GET' ? undefined : JSON.parse(await request.text());
      const one = {
        method: body?.method ?? pathname,
        params: body?.params,
        id: body?.id,
        headers: request.headers,
      };
      heard.push(one);
      const lie = await lies?.(one, request);
      if (lie) return lie;
      if (body === undefined)
        return pathname === `${new URL(url).pathname}/.well-known/agent-card.json`
          ? Response.json(version === '1.0' ? AgentCard.toJSON(card) : legacyCard(url))
          : new Response('no', { status: 404 });
      const answer = await byVersion[version].handle(body, context(version));
      if (Symbol.asyncIterator in answer) throw new Error('nothing streams here');
      return Response.json(answer);
    },
  };
}

const said = (text: string, taskId: string, contextId: string): Message => ({
  ...{ messageId: randomUUID(), taskId, contextId, role: Role.ROLE_AGENT, parts: [textPart(text)] },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
});

const modes = ['text/plain'];

const cardAt = (url: string, protocolVersion: string): AgentCard => ({
  ...{ name: 'Travel', description: 'Plans journeys.', version: '1', provider: undefined, signatures: [] },
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion, tenant: '' }],
  capabilities: { streaming: false, pushNotifications: true, extendedAgentCard: false, extensions: [] },
  ...{ securitySchemes: {}, securityRequirements: [], skills: [] },
  ...{ defaultInputModes: modes, defaultOutputModes: modes },
});

/** A card as servers of 0.3 write it. */
const legacyCard = (url: string) => ({
  ...{ name: 'Travel', description: 'Plans journeys.', version: '1', protocolVersion: '0.3.0', url },
  ...{ preferredTransport: 'JSONRPC', capabilities: { pushNotifications: true }, skills: [] },
  ...{ defaultInputModes: modes, defaultOutputModes: modes },
});
