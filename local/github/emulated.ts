/** The emulated GitHub of `npm start`: a repository with a history, and a webhook. */

import { createEmulator } from 'emulate';
import { type RestDelivery, type RestIssue, restOf } from './rest.ts';
import { bot, owner, past, people, repo, stories, tokenOf } from './seed.ts';
import { readState, record, replay } from './state.ts';

export interface EmulatedGithub {
  /** Base URL of its REST API. */
  readonly url: string;
  /** The repository as owner/name. */
  readonly repo: string;
  /** The token for the agent. */
  readonly agentToken: string;
  /** Sends the repository's issue events to `url`, signed. */
  hook(url: string, secret: string): Promise<Hook>;
  /** A user opens a new issue. */
  openIssue(): Promise<{ number: number; title: string; user: string }>;
  labelsOf(number: number): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Hook {
  /** The status of the answer to the last opened issue's webhook; undefined while there is none, 0 if no server answered. */
  delivered(): Promise<number | undefined>;
}

/** Starts it with the issues in `file`; without a file, nothing is kept. */
export async function startGithub(file: string | undefined): Promise<EmulatedGithub> {
  const state = readState(file);
  const [, name] = repo.split('/');
  const logins = [bot, owner, ...people];
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: Object.fromEntries(logins.map((login) => [tokenOf(login), { login }])),
      github: {
        users: logins.map((login) => ({ login })),
        repos: [{ owner, name, description: 'Notes that follow you.' }],
      },
    },
  });
  const rest = restOf(emulator.url, tokenOf);
  const issue = (number: number) => rest<RestIssue>(owner, 'GET', `/repos/${repo}/issues/${number}`);
  let opened = state.issues.length - past.length;
  try {
    await replay(rest, state);
    const recorder = file === undefined ? undefined : await record(rest, file);
    return {
      url: emulator.url,
      repo,
      agentToken: tokenOf(bot),
      async hook(url, secret) {
        const { id } = await rest<{ id: number }>(owner, 'POST', `/repos/${repo}/hooks`, {
          events: ['issues', 'issue_comment'],
          config: { url, content_type: 'json', secret },
        });
        return {
          async delivered() {
            const path = `/repos/${repo}/hooks/${id}/deliveries?per_page=100`;
            const deliveries = await rest<RestDelivery[]>(owner, 'GET', path);
            const news = deliveries.find(({ event, action }) => event === 'issues' && action === 'opened');
            return news && (news.status_code ?? 0);
          },
        };
      },
      async openIssue() {
        const story = stories[opened++ % stories.length];
        if (!story) throw new Error('there is no story to tell');
        const { title, body, user } = story;
        const { number } = await rest<RestIssue>(user, 'POST', `/repos/${repo}/issues`, { title, body });
        return { number, title, user };
      },
      labelsOf: async (number) => (await issue(number)).labels.map((label) => label.name),
      async stop() {
        await recorder?.stop();
        await emulator.close();
      },
    };
  } catch (error) {
    await emulator.close();
    throw error;
  }
}
