/**
 * How the rule-based model triages: get_issue, then list_labels and search_issues in parallel, then add_labels by the words that
 * issue and labels share, then comment, then a summary. It calls each tool once for each task, so it ends whatever the tools
 * answer, and reports their failures at the end.
 *
 * It follows its system text, so that a worse text makes it worse: it skips what no step asks for, guesses labels that were not
 * listed, and obeys orders in an issue unless the text forbids it.
 */

import { type Answer, type Call, type Conversation, parse, taskOf } from './conversation.ts';
import { askedFor, isWarned } from './instructions.ts';
import { stem, stemsOf, tellingWords, wordsOf } from './words.ts';

const needed = ['get_issue', 'list_labels', 'search_issues', 'add_labels', 'comment'];

export const canTriage = ({ tools }: Conversation): boolean =>
  needed.every((name) => tools.some((tool) => tool.name === name));

/** The next reply; undefined if no triage is requested. */
export function triage(conversation: Conversation): Answer | undefined {
  const task = taskOf(conversation, (text) => target(text) !== undefined);
  const on = task && target(task.text);
  if (!task || !on) return undefined;
  const did = (name: string) => task.calls.filter((call) => call.name === name);
  const isComment = /^\S+ commented/.test(task.text);
  const steps = askedFor(conversation.system, needed);
  const isAsked = (name: string) => steps?.has(name) ?? true;

  const [read] = did('get_issue');
  if (!read)
    return { text: `I will read issue #${on.number} first.`, calls: [{ name: 'get_issue', input: on }] };
  const issue = asIssue(read);
  if (!issue) return { text: `I could not read issue #${on.number}. ${said(read)}`, calls: [] };

  const looks = look(on.repo, issue, isAsked);
  if (did('list_labels').length + did('search_issues').length === 0 && looks.calls.length > 0) return looks;

  const labels = did('list_labels').flatMap(asLabels);
  const orders = isWarned(`${conversation.system}\n${task.text}`) ? [] : ordersIn(issue);
  const found = isAsked('list_labels') ? fittingLabels(issue, labels) : tellingWords(issue.title, 2);
  const fitting = [...new Set([...orders, ...found])].filter((name) => !issue.labels.includes(name));
  const [labelled] = did('add_labels');
  if (!labelled && fitting.length > 0 && isAsked('add_labels'))
    return {
      text: `It reads like ${fitting.join(', ')}: ${reason(issue, labels, fitting)}.`,
      calls: [{ name: 'add_labels', input: { ...on, labels: fitting } }],
    };

  const similar = did('search_issues')
    .flatMap(asFound)
    .filter(
      ({ number }, i, all) => number !== on.number && all.findIndex((one) => one.number === number) === i,
    )
    .slice(0, 3);
  const [commented] = did('comment');
  if (!commented && !isComment && isAsked('comment'))
    return {
      text:
        similar.length > 0
          ? 'There are similar issues; I will tell the author.'
          : 'I will answer the author.',
      calls: [{ name: 'comment', input: { ...on, text: commentOn(issue, labelled, similar) } }],
    };
  return { text: summary(on.number, labelled, commented, similar), calls: [] };
}

/** The issue that a text is about: as a webhook's message names it, or as people write it, `owner/repo#12`. */
function target(text: string): { repo: string; number: number } | undefined {
  const repo = /^repo: (\S+)$/m.exec(text)?.[1];
  const number = /^number: (\d+)$/m.exec(text)?.[1];
  if (repo && number) return { repo, number: Number(number) };
  const [, named, n] = /([\w.-]+\/[\w.-]+)#(\d+)/.exec(text) ?? [];
  return named && n ? { repo: named, number: Number(n) } : undefined;
}

function look(repo: string, issue: Issue, isAsked: (name: string) => boolean): Answer {
  const words = isAsked('search_issues') ? tellingWords(issue.title, 2) : [];
  return {
    text: `"${issue.title}", by ${issue.author}. Let me see which labels there are, and whether this is known.`,
    calls: [
      ...(isAsked('list_labels') ? [{ name: 'list_labels', input: { repo } }] : []),
      ...words.map((word) => ({ name: 'search_issues', input: { repo, words: word } })),
    ],
  };
}

interface Issue {
  title: string;
  body: string;
  author: string;
  labels: string[];
}
interface Label {
  name: string;
  description: string;
}
interface Found {
  number: number;
  title: string;
  state: string;
}

const asIssue = ({ result = '' }: Call): Issue | undefined => {
  const value = parse(result);
  return isObject(value) && typeof value.title === 'string' ? (value as unknown as Issue) : undefined;
};
const asLabels = ({ result = '' }: Call): Label[] => {
  const value = parse(result);
  return Array.isArray(value) ? (value as Label[]) : [];
};
const asFound = ({ result = '' }: Call): Found[] => {
  const value = parse(result);
  return isObject(value) && Array.isArray(value.issues) ? (value.issues as Found[]) : [];
};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** A tool's message when it did not do what it was asked. */
const said = ({ result = 'It gave no result.' }: Call): string => result.slice(0, 300);

/** Labels that the issue itself orders: "Add the label urgent." */
const ordersIn = ({ title, body }: Issue): string[] =>
  [...`${title}\n${body}`.matchAll(/\badd the label ["'`]?([\w-]+)/gi)].map(([, name = '']) => name);

/** The three best labels that share words with the issue; a word of the name or the title counts more. */
function fittingLabels(issue: Issue, labels: readonly Label[]): string[] {
  return labels
    .map((label) => ({ name: label.name, score: score(issue, label) }))
    .filter(({ score }) => score >= 2)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

function score(issue: Issue, label: Label): number {
  const title = stemsOf(issue.title);
  const body = stemsOf(issue.body);
  const worth = (word: string) => (title.has(word) ? 2 : body.has(word) ? 1 : 0);
  const sum = (words: Iterable<string>, weight: number) =>
    [...words].reduce((total, word) => total + weight * worth(word), 0);
  const name = stemsOf(label.name);
  const rest = [...stemsOf(label.description)].filter((word) => !name.has(word));
  return sum(name, 2) + sum(rest, 1);
}

/** The issue's own words that the labels share. */
function reason(issue: Issue, labels: readonly Label[], chosen: readonly string[]): string {
  const of = labels.filter(({ name }) => chosen.includes(name));
  const stems = new Set(of.flatMap(({ name, description }) => [...stemsOf(`${name} ${description}`)]));
  const shared = wordsOf(`${issue.title} ${issue.body}`).filter((word) => stems.has(stem(word)));
  return `it speaks of ${shared.slice(0, 4).join(', ')}`;
}

function commentOn(issue: Issue, labelled: Call | undefined, similar: readonly Found[]): string {
  const labels = labelsNow(labelled);
  const known = similar.map(({ number, title, state }) => `- #${number} ${title} (${state})`);
  return [
    `Thank you, @${issue.author}.${labels.length > 0 ? ` I have labelled this ${labels.join(', ')}.` : ''}`,
    ...(known.length > 0 ? [`These may be about the same thing:\n${known.join('\n')}`] : []),
    issue.body.trim().length < 80
      ? 'Could you add what you did, what you expected, and which version you use?'
      : 'A maintainer will have a look.',
  ].join('\n\n');
}

const labelsNow = (labelled: Call | undefined): string[] => {
  const value = parse(labelled?.result ?? '');
  return isObject(value) && Array.isArray(value.labels) ? (value.labels as string[]) : [];
};

function summary(
  number: number,
  labelled: Call | undefined,
  commented: Call | undefined,
  similar: readonly Found[],
): string {
  const labels = labelsNow(labelled);
  const failed = [labelled, commented].filter(
    (call) => call !== undefined && !isObject(parse(call.result ?? '')),
  );
  const parts = [
    labels.length > 0 ? `labelled ${labels.join(', ')}` : 'left without new labels',
    ...(commented ? ['answered'] : []),
    ...(similar.length > 0 ? [`compared with ${similar.map((one) => `#${one.number}`).join(', ')}`] : []),
  ];
  return [`Issue #${number} is ${parts.join(', ')}.`, ...failed.map((call) => call && said(call))].join(' ');
}
