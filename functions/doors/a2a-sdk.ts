/** A2A on the wire, by its official SDK: versions 1.0 and 0.3 of JSON-RPC. */

import { AgentCard, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import {
  type A2ARequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server';
import type { RunAsTask, TaskStateName } from '../../shared/doors/a2a/run.ts';
import { contentOf, type SentPart } from '../../shared/doors/a2a/sent.ts';
import { Refusal } from '../middleware/problem.ts';
import { type A2aDoor, DoorRefusal } from './a2a/door.ts';

/** The version of a request without the header `A2A-Version`. */
const LEGACY = '0.3';

/** The facts of an agent card. */
export interface CardOf {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where it is served. */
  readonly url: string;
}

/** The agent card, which clients of both versions read. */
export const cardJson = (of: CardOf): object => ({
  ...(AgentCard.toJSON(cardOf(of)) as object),
  ...{ url: of.url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } },
  },
  security: [{ bearer: [] }],
});

/** The answer to one JSON-RPC request. */
export async function answerJsonRpc(
  body: string,
  version: string | undefined,
  door: A2aDoor,
  of: CardOf,
): Promise<object> {
  const card = cardOf(of);
  const isLegacy = (version || LEGACY) === LEGACY;
  const Handler = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const context = new ServerCallContext({ requestedVersion: version || LEGACY });
  try {
    validateVersion(version || LEGACY, card, 'JSONRPC');
  } catch (error) {
    return { jsonrpc: '2.0', id: null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) };
  }
  const read = requestIn(body);
  if ('error' in read) return { jsonrpc: '2.0', id: null, error: read.error };
  const { request } = read;
  const answer = await new Handler(handlerOf(door, card)).handle(JSON.stringify(request), context);
  if (!(Symbol.asyncIterator in answer)) return withVersion(answer, request.method, isLegacy);
  const refusal = await answer.next().catch((error: unknown) => error);
  return {
    ...{ jsonrpc: '2.0', id: request.id ?? null },
    error: JsonRpcTransportHandler.mapToJSONRPCError(refusal),
  };
}

interface JsonRpcRequest {
  readonly id?: string | number | null;
  readonly method?: unknown;
}

/** jsonrpc.org, "Error object". The SDK gives these bodies the code of wrong parameters, and throws for `null`. */
const NO_JSON = { code: -32_700, message: 'Parse error: the body is not JSON.' };
const NO_OBJECT = { code: -32_600, message: 'Invalid request: send one object, and no batch.' };
const NO_METHOD = -32_601;

/** The request, or the error of a body that is none. */
function requestIn(body: string): { readonly request: JsonRpcRequest } | { readonly error: typeof NO_JSON } {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { request: value } : { error: NO_OBJECT };
  } catch {
    return { error: NO_JSON };
  }
}

/** A method of the other version is not found: the error says how to ask for that version. */
function withVersion(answer: object, method: unknown, isLegacy: boolean): object {
  const { error } = answer as { error?: { code: number; message: string } };
  if (error?.code !== NO_METHOD || typeof method !== 'string') return answer;
  const advice =
    isLegacy && /^[A-Z]/.test(method)
      ? 'Methods of version 1.0 need the header "A2A-Version: 1.0".'
      : !isLegacy && method.includes('/')
        ? 'It is one of version 0.3, which is asked for without the header "A2A-Version".'
        : undefined;
  return advice === undefined
    ? answer
    : { ...answer, error: { ...error, message: `${error.message}. ${advice}` } };
}

function cardOf({ name, description, version, url }: CardOf): AgentCard {
  const at = (protocolVersion: string) => ({ url, protocolBinding: 'JSONRPC', protocolVersion, tenant: '' });
  const modes = ['text/plain', 'application/json'];
  return {
    ...{ name, description, version, provider: undefined, signatures: [] },
    supportedInterfaces: [at('1.0'), at(LEGACY)],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { scheme: 'bearer', description: '', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [
      {
        ...{ id: name, name, description, tags: ['agent'], examples: [] },
        ...{ inputModes: modes, outputModes: modes, securityRequirements: [] },
      },
    ],
  };
}

function handlerOf(door: A2aDoor, card: AgentCard): A2ARequestHandler {
  const noPush = async (): Promise<never> => {
    throw new PushNotificationNotSupportedError('Create a session with a callbackUrl to be told of its end.');
  };
  return {
    getAgentCard: async () => card,
    async getAuthenticatedExtendedAgentCard() {
      throw new ExtendedAgentCardNotConfiguredError('The card is the same for all callers.');
    },
    async sendMessage({ message, configuration }) {
      if (configuration?.taskPushNotificationConfig) return noPush();
      if (!message) throw new RequestMalformedError('The request has no message.');
      const run = await inTheirTerms(
        door.send({
          messageId: message.messageId,
          content: contentOf(message.parts.map(partOf)),
          taskId: message.taskId || undefined,
          contextId: message.contextId || undefined,
          waits: !configuration?.returnImmediately,
        }),
      );
      return taskOf(run, configuration?.historyLength);
    },
    getTask: async ({ id, historyLength }) => taskOf(await inTheirTerms(door.get(id)), historyLength),
    cancelTask: async ({ id }) => taskOf(await inTheirTerms(door.cancel(id))),
    // biome-ignore lint/correctness/useYield: it refuses
    async *sendMessageStream() {
      throw noStream();
    },
    // biome-ignore lint/correctness/useYield: it refuses
    async *resubscribe() {
      throw noStream();
    },
    async listTasks() {
      throw new UnsupportedOperationError('GET /sessions of the HTTP API lists sessions.');
    },
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

const noStream = () =>
  new UnsupportedOperationError(
    'This address does not stream. Send the message without it, and get the task.',
  );

async function inTheirTerms<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DoorRefusal) throw new errors[error.kind](error.message);
    if (!(error instanceof Refusal)) throw error;
    const { status, title, detail = '', errors: fields = [] } = error.problem;
    const wrong = (fields as { path: string; message: string }[]).map(
      ({ path, message }) => `${path}: ${message}`,
    );
    const sentence = [title, detail, ...wrong].filter((text) => text !== '').join(': ');
    throw status === 400 || status === 422
      ? new RequestMalformedError(sentence)
      : new UnsupportedOperationError(sentence);
  }
}

const errors = {
  no_task: TaskNotFoundError,
  not_cancelable: TaskNotCancelableError,
  unsupported: UnsupportedOperationError,
  invalid: RequestMalformedError,
  content: ContentTypeNotSupportedError,
} satisfies Record<DoorRefusal['kind'], unknown>;

function partOf({ content }: Part): SentPart {
  switch (content?.$case) {
    case 'text':
      return { kind: 'text', text: content.value };
    case 'data':
      return { kind: 'data', data: content.value };
    default:
      return { kind: 'file' };
  }
}

const states: Readonly<Record<TaskStateName, TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
};

/** @param historyLength the most messages; all if it is absent */
function taskOf(run: RunAsTask, historyLength?: number): Task {
  const { id, contextId, state, message, answer, object, asks } = run;
  const agentSays = (messageId: string, parts: Part[]): Message => ({
    ...{ messageId, contextId, taskId: id, role: Role.ROLE_AGENT, parts },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  });
  const told =
    state === 'input_required'
      ? [
          ...asks.map((ask) => text(`It waits for ${ask.kind} of ${ask.tool}: ${ask.message}`)),
          data({ asks }),
        ]
      : state === 'failed' && message
        ? [text(message)]
        : [];
  const parts = [
    ...(answer === undefined ? [] : [text(answer)]),
    ...(object === undefined ? [] : [data(object)]),
  ];
  const history = run.messages.flatMap((one) =>
    (one.role === 'user' || one.role === 'assistant') && one.content
      ? [
          {
            ...agentSays(one.id, [text(one.content)]),
            role: one.role === 'user' ? Role.ROLE_USER : Role.ROLE_AGENT,
          },
        ]
      : [],
  );
  return {
    ...{ id, contextId, metadata: undefined },
    status: {
      state: states[state],
      message: told.length > 0 ? agentSays(`${id}-status`, told) : undefined,
      timestamp: undefined,
    },
    artifacts:
      state === 'completed' && parts.length > 0
        ? [
            {
              ...{ artifactId: `${id}-answer`, name: 'answer', description: '', parts },
              ...{ metadata: undefined, extensions: [] },
            },
          ]
        : [],
    history: historyLength === undefined ? history : historyLength > 0 ? history.slice(-historyLength) : [],
  };
}

const text = (value: string): Part => part({ $case: 'text', value });
const data = (value: unknown): Part => part({ $case: 'data', value });
const part = (content: NonNullable<Part['content']>): Part => ({
  ...{ content, metadata: undefined, filename: '', mediaType: '' },
});
