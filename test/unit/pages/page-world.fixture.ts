import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Answer } from '../../../functions/middleware/stream-response.ts';
import { serveAgui } from '../../../functions/routes/agui.ts';
import { serveChat } from '../../../functions/routes/chat.ts';
import { settleDecision } from '../../../functions/routes/decisions.ts';
import type { PageContext } from '../../../functions/routes/page-arrivals.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';

export const person = (name: string, roles: string[] = []): Identity => ({
  ...{ tenant: 'acme', subject: `user:${name}`, kind: 'jwt', roles },
});

/** A session that pages talk to, over AG-UI and over the AI SDK's chat. */
export interface PageWorld extends SessionWorld {
  /** The parts of a chat's answer; the session's steps run before it is read. */
  chat(method: string, path: string, body?: object, who?: Identity): Promise<Part[]>;
  /** The events of an AG-UI answer; the session's steps run before it is read. */
  agui(path: string, body?: object, who?: Identity): Promise<Part[]>;
}

/** A chunk of the AI SDK, or an AG-UI event. */
export type Part = { readonly type: string; readonly [key: string]: unknown };

export async function pageWorld(...given: Parameters<typeof sessionWorld>): Promise<PageWorld> {
  const world = await sessionWorld(...given);
  const agent = world.agentOf('test');
  const agents = agent ? [agent] : [];
  const context: PageContext = {
    io: world,
    ...memoryEdge(world),
    watchMs: 120_000,
    agents,
    priceOf: async () => undefined,
    async decide(key, decision, caller, channel) {
      await settleDecision(key, decision, caller, { io: world, agents, channel });
    },
  };
  const read = async (answer: Answer): Promise<Part[]> => {
    await world.settle();
    if (answer.kind === 'whole') return JSON.parse(String(answer.response.body ?? '[]'));
    let text = '';
    const write = async (piece: string) => {
      text += piece;
    };
    await answer.body({ write, left: () => false });
    const lines = text.split('\n\n').filter((line) => line.startsWith('data: {'));
    return lines.map((line) => JSON.parse(line.slice('data: '.length)));
  };
  const request = (method: string, rawPath: string, body?: object) =>
    ({
      ...{ rawPath, headers: {}, isBase64Encoded: false, requestContext: { http: { method } } },
      ...(body && { body: JSON.stringify(body) }),
    }) as unknown as APIGatewayProxyEventV2;
  const endsAt = () => world.clock.now() + 880_000;
  return {
    ...world,
    chat: async (method, path, body, who = person('ada')) =>
      read(await serveChat(request(method, path, body), who, endsAt(), context)),
    agui: async (path, body = {}, who = person('ada')) => {
      const sent = { threadId: 's1', runId: 'r1', messages: [], ...body };
      return read(await serveAgui(request('POST', path, sent), who, endsAt(), context));
    },
  };
}
