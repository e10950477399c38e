import { type Message, type Part, Role, type SendMessageRequest, type Task } from './client.ts';
import type { Connected } from './connect.ts';
import { Told } from './failures.ts';
import { SHORT_SECONDS } from './wire.ts';

/** Most characters of an id that an agent chooses. */
const MAX_ID = 500;

/** A message for the agent. */
export interface Words {
  /** The same for every attempt. */
  readonly messageId: string;
  readonly text: string;
  /** The task that it goes on with. */
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
  /** Seconds for the answer: some agents answer only when the task has ended. */
  readonly seconds: number;
}

/** An agent's answer to a message. */
export type Answer =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'message'; readonly message: Message };

/** Sends a message, and returns the task, or the message that the agent answers with. */
export async function send({ client, wire }: Connected, words: Words, signal: AbortSignal): Promise<Answer> {
  const { messageId, text, taskId = '', contextId = '', seconds } = words;
  const part: Part = {
    ...{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' },
  };
  const message: Message = {
    ...{ messageId, taskId, contextId, role: Role.ROLE_USER, parts: [part] },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
  const request: SendMessageRequest = {
    ...{ tenant: '', message, metadata: undefined },
    configuration: {
      acceptedOutputModes: ['text/plain', 'application/json'],
      taskPushNotificationConfig: undefined,
      historyLength: 0,
      returnImmediately: true,
    },
  };
  wire.patient(seconds);
  try {
    const answer = await client.sendMessage(request, { signal });
    if (!('status' in answer)) return { kind: 'message', message: answer };
    return { kind: 'task', task: sound(answer, taskId || undefined) };
  } finally {
    wire.patient(SHORT_SECONDS);
  }
}

/** The task as it is now. */
export const look = async ({ client }: Connected, taskId: string, signal: AbortSignal): Promise<Task> =>
  sound(await client.getTask({ tenant: '', id: taskId, historyLength: 0 }, { signal }), taskId);

/** A task with an id, and with the one that was asked for. */
function sound(task: Task, wanted: string | undefined): Task {
  if (typeof task.id !== 'string' || task.id === '' || task.id.length > MAX_ID)
    throw new Told('answers with a task that has no usable id.');
  if (wanted !== undefined && task.id !== wanted) throw new Told('answers with another task than its own.');
  return task;
}
