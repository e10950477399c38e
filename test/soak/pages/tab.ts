/** One tab of a browser with a page: AG-UI's own client, over a network that cuts connections. */

import { AbstractAgent, type BaseEvent, type RunAgentInput } from '@ag-ui/client';
import { Observable } from 'rxjs';
import type { Random } from '../../sim/random.ts';
import { life } from '../mortal.ts';
import { TOOL } from './plan.ts';
import type { SoakWorld } from './world.ts';

/** The connection of a request was cut: AG-UI's client ends the run without a word for an error of this name. */
class Cut extends Error {
  override name = 'AbortError';
}

/** An answer of a page to a call, as it was first sent. */
export interface Sent {
  readonly callId: string;
  readonly text: string;
  /** Number of requests with it whose response came whole, and told nothing about it: by these the page knows that it counts. */
  heard: number;
  /** A response told that it has no effect. */
  late: boolean;
}

const described = (name: string) => ({
  ...{ name, description: 'A tool of the page.' },
  parameters: { type: 'object', properties: { call: { type: 'string' } }, required: ['call'] },
});

export class Tab extends AbstractAgent {
  readonly sent: Sent[] = [];
  soak: SoakWorld;
  random: Random;
  user: number;
  /** Whether it has the tool that the model calls, or only another one. */
  hasTool: boolean;

  constructor(user: number, soak: SoakWorld, random: Random, hasTool = true) {
    super({ threadId: `t${user}` });
    this.soak = soak;
    this.random = random;
    this.user = user;
    this.hasTool = hasTool;
  }

  get tools() {
    return [described(this.hasTool ? TOOL : 'other')];
  }

  /** Runs, or only connects. Returns false if the connection was cut. */
  async talk(how: 'run' | 'connect'): Promise<boolean> {
    const known = this.sent.filter(({ late }) => !late);
    const told = new Set<string>();
    const listen = {
      onCustomEvent: ({ event: { name, value } }: { event: { name: string; value?: unknown } }) => {
        if (name === 'steploop.decided_before') told.add((value as { id: string }).id);
      },
    };
    const input = { tools: this.tools };
    this.wasCut = false;
    await (how === 'run' ? this.runAgent(input, listen) : this.connectAgent(input, listen));
    if (this.wasCut) return false;
    if (how === 'run')
      for (const one of known.filter((sent) => this.isNew(sent))) {
        if (told.has(one.callId)) one.late = true;
        else one.heard += 1;
      }
    return true;
  }

  /** Whether the answer was among the messages that the last request sent as new. */
  private isNew({ text }: Sent): boolean {
    return this.asked.has(text);
  }

  private wasCut = false;

  /** Results that the last request had after the last reply. */
  private asked = new Set<string>();

  override run(input: RunAgentInput): Observable<BaseEvent> {
    const at = input.messages.findLastIndex(({ role }) => role === 'assistant');
    const news = input.messages.slice(at + 1);
    this.asked = new Set(news.flatMap((one) => (one.role === 'tool' ? [String(one.content)] : [])));
    return this.request('/agui/worker', input);
  }

  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    this.asked = new Set();
    return this.request('/agui/connect', input);
  }

  /** Calls of the last reply that it has the tool of, and that it shows no result of. */
  unanswered(): string[] {
    const at = this.messages.findLastIndex(({ role }) => role === 'assistant');
    const last = this.messages[at];
    if (last?.role !== 'assistant' || !this.hasTool) return [];
    const results = new Set(this.messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : [])));
    return (last.toolCalls ?? []).flatMap(({ id }) => (results.has(id) ? [] : [id]));
  }

  private request(path: string, input: RunAgentInput): Observable<BaseEvent> {
    const { soak, random, user } = this;
    const { clock } = soak.world;
    const cutAfter = random.chance(0.25) ? Math.round(random.scale(20, 60_000)) : undefined;
    const arrives = cutAfter === undefined || random.chance(0.7);
    return new Observable((subscriber) => {
      let left = false;
      const cut = () => {
        if (left) return;
        left = true;
        this.wasCut = true;
        soak.cuts += 1;
        subscriber.error(new Cut('the connection was cut'));
      };
      const one = life(
        random.chance(0.15) ? random.between(1, 12) : Infinity,
        random.chance(0.5),
        () => void clock.sleep(1_000).then(cut),
      );
      if (cutAfter !== undefined) void clock.sleep(cutAfter).then(cut);
      const write = async (text: string) => {
        if (left || one.dead) return;
        for (const line of text.split('\n\n'))
          if (line.startsWith('data: ')) subscriber.next(JSON.parse(line.slice('data: '.length)));
      };
      const serve = async () => {
        if (!arrives) return;
        await clock.sleep(random.between(5, 200));
        const answer = await soak.request(path, input, user, one);
        if (answer.kind === 'whole')
          throw new Error(`${path} was answered with ${answer.response.statusCode}`);
        await answer.body({ write, left: () => false });
        if (left) return;
        left = true;
        subscriber.complete();
      };
      serve().catch((error: unknown) => {
        if (!left) subscriber.error(error);
        left = true;
      });
      return () => {
        left = true;
      };
    });
  }
}
