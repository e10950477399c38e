/** A conversation with an agent in the terminal, over the public client. */

import { createInterface } from 'node:readline';
import { paint } from '../../../local/paint.ts';
import { terminal } from '../../../local/terminal.ts';
import type { AgUiEvent, Interrupt } from '../../../shared/contract/events.ts';
import { isForPeople } from '../../../shared/contract/waits.ts';
import type { Client, Subscription } from '../../../web/client/index.ts';
import type { Screen } from './screen.ts';
import { help, understand } from './words.ts';

export interface TalkOptions {
  readonly client: Client;
  /** Names of the current agents; the conversation is with the first one. */
  readonly agents: () => readonly string[];
  readonly screen: Screen;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WriteStream;
}

/** How to answer requests that are not yes or no. */
const how: Readonly<Record<string, string>> = {
  question: 'Type the answer.',
  plan: 'Type y, the numbers of the changes that you approve, or n and a reason.',
};

/** Resolves when the person leaves. */
export function talk({ client, agents, screen, input, output }: TalkOptions): Promise<void> {
  const line = createInterface({ input, output });
  let agent = agents()[0] ?? '';
  let session: { readonly id: string; readonly subscription: Subscription } | undefined;
  let isRunning = false;
  /** Requests that wait for a person, the next one first. */
  let asked: Interrupt[] = [];

  const prompt = (): void => {
    const [next] = asked;
    line.setPrompt(next ? (next.reason === 'question' ? 'answer> ' : 'y/n> ') : `${agent}> `);
    screen.typing(line);
  };
  const tell = (sentence: string): void => screen.say(paint('yellow', sentence));
  const failed = (error: unknown): void => {
    tell(error instanceof Error ? error.message : String(error));
    if (!isRunning) prompt();
  };

  const show = terminal({
    write: screen.write,
    paint,
    width: output.columns ?? 120,
    howToDecide: ({ reason }) => how[reason] ?? 'Type y, or n and a reason.',
  });
  /** Ids of the person's own messages, which the terminal already shows. */
  const own = new Set<string>();
  const onEvent = (event: AgUiEvent): void => {
    if (event.type === 'TEXT_MESSAGE_START' && event.role === 'user') own.add(event.messageId);
    if (event.type === 'RUN_STARTED') {
      isRunning = true;
      asked = [];
      screen.typing(undefined);
    }
    if (!('messageId' in event && own.has(event.messageId))) show(event);
    if (event.type !== 'RUN_FINISHED' && event.type !== 'RUN_ERROR') return;
    isRunning = false;
    if (event.type === 'RUN_FINISHED' && event.outcome.type === 'interrupt')
      asked = event.outcome.interrupts.filter(({ reason }) => isForPeople(reason));
    prompt();
  };

  const begin = (): void => {
    session?.subscription.close();
    session = undefined;
    asked = [];
    isRunning = false;
  };

  async function send(text: string): Promise<void> {
    if (session) return void (await client.addMessage(session.id, text));
    screen.typing(undefined);
    const { sessionId } = await client.createSession({ agent, message: text });
    screen.say(paint('dim', `session ${sessionId}`));
    const onRefused = (error: Error): void => {
      begin();
      failed(error);
    };
    session = { id: sessionId, subscription: client.subscribe(sessionId, { onEvent, onRefused }) };
  }

  async function take(text: string): Promise<void> {
    const typed = understand(text, asked[0], agents());
    switch (typed.kind) {
      case 'message':
        return send(typed.text);
      case 'decision':
        if (session) await client.decide(session.id, typed.decision);
        asked.shift();
        if (asked.length > 0) prompt();
        return;
      case 'agent':
        agent = typed.name;
        begin();
        return prompt();
      case 'new':
        begin();
        tell(`The next message begins a new session with ${agent}.`);
        return prompt();
      case 'help':
        screen.say(help);
        return prompt();
      case 'wrong':
        tell(typed.sentence);
        return prompt();
      case 'nothing':
        return isRunning ? undefined : prompt();
      case 'leave':
        return line.close();
    }
  }

  return new Promise((resolve) => {
    line.on('line', (text) => void take(text).catch(failed));
    line.on('SIGINT', () => {
      if (!isRunning || !session) return line.close();
      tell('Stopping the run. After it has ended, Ctrl-C exits.');
      client.cancel(session.id).catch(failed);
    });
    line.on('close', () => {
      screen.typing(undefined);
      session?.subscription.close();
      resolve();
    });
    prompt();
  });
}
