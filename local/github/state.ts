/**
 * The emulated GitHub keeps everything in memory. Its issues are copied to a file whenever its webhooks report a change, and
 * replayed in order at the next start, so that an issue keeps its number after a restart and sessions still find it.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { all, type Rest, type RestComment, type RestIssue } from './rest.ts';
import { labels, owner, past, repo, type SeedIssue, type SeedLabel } from './seed.ts';

export interface State {
  labels: readonly SeedLabel[];
  /** In order of their numbers, from 1. */
  issues: readonly SeedIssue[];
}

/** The content of the file, or the initial repository if there is none. */
export function readState(file: string | undefined): State {
  if (file === undefined || !existsSync(file)) return { labels, issues: past };
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as State;
  } catch (error) {
    throw new Error(`${file} cannot be read. Delete it to reset the issues of the emulated GitHub`, {
      cause: error,
    });
  }
}

export async function replay(rest: Rest, state: State): Promise<void> {
  for (const label of state.labels) await rest(owner, 'POST', `/repos/${repo}/labels`, label);
  for (const [i, issue] of state.issues.entries()) {
    const { title, body, labels } = issue;
    await rest(issue.user, 'POST', `/repos/${repo}/issues`, { title, body, labels });
    const path = `/repos/${repo}/issues/${i + 1}`;
    for (const comment of issue.comments)
      await rest(comment.user, 'POST', `${path}/comments`, { body: comment.body });
    if (issue.state === 'closed') await rest(owner, 'PATCH', path, { state: 'closed' });
  }
}

/** Keeps `file` up to date from now on. */
export async function record(rest: Rest, file: string): Promise<{ stop(): Promise<void> }> {
  let changed = false;
  let saving: Promise<void> | undefined;
  const save = async () => {
    while (changed) {
      changed = false;
      write(file, await snapshot(rest));
    }
    saving = undefined;
  };
  const listener = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    changed = true;
    saving ??= save();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  await rest(owner, 'POST', `/repos/${repo}/hooks`, {
    events: ['*'],
    config: { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`, content_type: 'json' },
  });
  return {
    async stop() {
      await saving;
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

async function snapshot(rest: Rest): Promise<State> {
  const kept = await all<SeedLabel>(rest, owner, `/repos/${repo}/labels`);
  const issues = await all<RestIssue>(
    rest,
    owner,
    `/repos/${repo}/issues?state=all&sort=created&direction=asc`,
  );
  return {
    labels: kept.map(({ name, color, description }) => ({ name, color, description })),
    issues: await Promise.all(
      issues
        .sort((a, b) => a.number - b.number)
        .map(async ({ number, title, body, user, state, labels, comments }) => ({
          title,
          body: body ?? '',
          user: user.login,
          state,
          labels: labels.map(({ name }) => name),
          comments: comments === 0 ? [] : await commentsOf(rest, number),
        })),
    ),
  };
}

async function commentsOf(rest: Rest, number: number): Promise<SeedIssue['comments']> {
  const comments = await all<RestComment>(rest, owner, `/repos/${repo}/issues/${number}/comments`);
  return comments.map(({ user, body }) => ({ user: user.login, body }));
}

/** Writes atomically. */
function write(file: string, state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(state, null, 1));
  renameSync(`${file}.new`, file);
}
