/** A fake GitHub with one repository for the tools of the triage agent, fresh for each play. */

import type { Fakes } from 'steploop/evals';

/** An issue of a case. */
export interface Issue {
  readonly title: string;
  readonly body: string;
  readonly author?: string;
  readonly labels?: readonly string[];
  readonly comments?: readonly { readonly author: string; readonly body: string }[];
}

/** Another issue of the repository, which a search may find. */
export interface Other {
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
}

export const repo = 'tidepool/tidepool';
/** Number of the issue that is triaged. */
export const number = 40;

const labels = [
  { name: 'crash', description: 'It crashes, freezes or closes by itself.' },
  { name: 'sync', description: 'Synchronization of notes between devices.' },
  { name: 'export', description: 'Exports to PDF, HTML or Markdown.' },
  { name: 'performance', description: 'Slow, or hungry for memory or battery.' },
  { name: 'documentation', description: 'The manual, the README, and typos in them.' },
  { name: 'mobile', description: 'Phones and tablets, Android and iOS.' },
  { name: 'security', description: 'Passwords, permissions, encryption and leaks.' },
  { name: 'enhancement', description: 'A feature request: something that could be added.' },
  { name: 'P-1', description: 'Only maintainers give it.' },
];

export const others: readonly Other[] = [
  { number: 3, title: 'Crash when a large picture is pasted', state: 'open' },
  { number: 7, title: 'Synchronization stops after a conflict', state: 'open' },
  { number: 11, title: 'Exported PDF has empty pages', state: 'closed' },
  { number: 15, title: 'Startup is slow with many notebooks', state: 'open' },
  { number: 19, title: 'Dark theme for the editor', state: 'open' },
  { number: 23, title: 'Password is asked twice', state: 'closed' },
];

/** The answers of the five tools; with `issue` undefined, there is no issue of that number. */
export const hub =
  (issue: Issue | undefined): (() => Fakes) =>
  () => {
    let now = [...(issue?.labels ?? [])];
    const there = (): Issue => {
      if (!issue) throw new Error(`GET /repos/${repo}/issues/${number}: GitHub answered 404: Not Found`);
      return issue;
    };
    return {
      get_issue: () => {
        const { title, body, author = 'ada-m', comments = [] } = there();
        return {
          number,
          title,
          state: 'open',
          author,
          labels: now,
          body,
          totalComments: comments.length,
          comments,
        };
      },
      list_labels: () => labels,
      search_issues: ({ words }: { words: string }) => {
        const asked = words.toLowerCase().split(/\s+/);
        const found = [...others, ...(issue ? [{ number, title: issue.title, state: 'open' }] : [])].filter(
          ({ title }) => asked.every((word) => title.toLowerCase().includes(word)),
        );
        return { total: found.length, issues: found.map((one) => ({ ...one, labels: [] })) };
      },
      add_labels: ({ labels: added }: { labels: string[] }) => {
        there();
        const unknown = added.filter((name) => !labels.some((label) => label.name === name));
        if (unknown.length > 0) throw new Error(`${repo} has no label ${unknown.join(', ')}.`);
        now = [...new Set([...now, ...added])];
        return { labels: now };
      },
      comment: () => {
        there();
        return { url: `https://github.com/${repo}/issues/${number}#issuecomment-1` };
      },
    };
  };
