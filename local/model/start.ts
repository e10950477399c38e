/**
 * The model of `npm start` without an API key: aimock speaks the Messages API, and a few rules decide the reply. Tokens are not
 * counted, so usage is estimated from sizes (4 characters a token).
 */

import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import type { Answer, ChatRequest } from './conversation.ts';
import { toConversation } from './conversation.ts';
import { general } from './general.ts';
import { asObject } from './object.ts';
import { sumUp } from './sum-up.ts';
import { canTriage, triage } from './triage.ts';

export interface LocalModel {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param hurry whether it answers at once, for runs that are not watched; otherwise at about the speed of a real model */
export async function startRuleModel(hurry = false): Promise<LocalModel> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 1 });
  mock.on(
    { predicate: () => true },
    (request: ChatCompletionRequest) => {
      const answer = decide(request as ChatRequest);
      const toolCalls = answer.calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) }));
      const usage = usageOf(request, answer);
      return toolCalls.length > 0
        ? { content: answer.text, toolCalls, usage }
        : { content: answer.text, usage };
    },
    // Starts about as fast as a real model, and writes faster.
    hurry ? { chunkSize: 4096 } : { chunkSize: 16, streamingProfile: { ttft: 200, tps: 60 } },
  );
  const url = await mock.start();
  return { url, stop: () => mock.stop() };
}

/** The model's reply to a request. Pure. */
export function decide(request: ChatRequest): Answer {
  const conversation = toConversation(request);
  const triaged = canTriage(conversation) ? triage(conversation) : undefined;
  return sumUp(conversation) ?? asObject(triaged ?? general(conversation), conversation);
}

const usageOf = ({ messages, tools }: ChatCompletionRequest, answer: Answer) => ({
  input_tokens: tokensOf({ messages, tools }),
  output_tokens: tokensOf(answer),
});

const tokensOf = (value: object): number => Math.ceil(JSON.stringify(value).length / 4);
