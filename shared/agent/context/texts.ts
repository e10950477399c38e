import type { Carried } from '../session/fold.ts';

/** The parts of a label on a message that a head repeats. */
export interface Labelled {
  readonly came: Carried['came'];
  /** Characters that are cut off at its end. */
  readonly cut: number;
  /** When and by whom it was said, in words, as in the line before a message. */
  readonly said?: string | undefined;
  /** Day on which it was answered, in words. */
  readonly answered?: string | undefined;
}

function label({ came, cut, said, answered }: Labelled, what = ''): string {
  const cameTo = {
    open: 'OPEN until you have answered it: work on this, what you did for it so far comes below',
    answered: `Answered${answered ? ` on ${answered}` : ''} and done`,
    unanswered: 'Ended before it was answered, so leave it unless it is asked for again',
  } as const satisfies Record<Carried['came'], string>;
  const parts = [what, said, `word for word${cut > 0 ? `, but for its last ${cut} characters` : ''}`];
  return `[steploop] ${cameTo[came]}: ${parts.filter(Boolean).join(', ')}:\n`;
}

/**
 * Texts of ours that a model reads in a folded context; all others are in `../texts.ts`. They are loaded with the code that
 * folds, which few steps need.
 */
export const foldTexts = {
  /** Names the content that a summary must keep: it replaces what the model no longer reads. */
  sumUp: (chars: number) =>
    `[steploop] Context: most of this conversation is about to leave your context, and your reply takes its place: whoever goes on reads it, the newest messages, and nothing else. Do not go on with the work now, and call no tools. Write plain text of at most ${chars} characters under these headings:
Task: what is asked for now and is not done yet, in the words of the user. Then what was asked before that, first of all and since, and for each whether it is done.
Open questions: what nobody has answered yet, and who is to answer it.
Files touched: each path, and what was done to it.
Errors not mended: what fails still, in its own words, and what was tried.
Decisions: what was decided, and why.
Facts: what people have told that is still of use: names, numbers, ids, dates, limits, wishes, word for word.
Next: what is to be done now.
Take over what an earlier summary says and still holds. Leave out what is done with. Add nothing that was not said.`,
  /**
   * The parts of a context's head (docs/context.md). People's messages stand in it word for word, each after a label of one line.
   */
  firstTask: (of: Labelled) => label(of, 'the first message of this conversation'),
  /** Before the finished messages, each of which {@link foldTexts.saidSince} labels. */
  saidBefore:
    '[steploop] Later messages of the user, left out below and over by now. Do not go back to them unless you are asked to.',
  saidSince: (of: Labelled) => label(of),
  /** Used if none of the messages that the head repeats is open. */
  openBelow: '[steploop] What is OPEN comes below: the newest message that you have not answered.',
  summaryOf: (summary: string) =>
    `[steploop] [Conversation Summary] What was said and done before, summed up:\n${summary}`,
  leftOut: (messages: number, tokens: number) =>
    `[steploop] ${messages} messages of this conversation, about ${tokens} tokens, are left out here.`,
  leftOutShort: (messages: number) => `[steploop] ${messages} messages left out.`,
  /** Why the attachments of a message that is left out are not shown. */
  noRoom: 'it was sent long ago, and left out to make room',
  workLog: (lines: string) =>
    `What you did in them, newest first, in the words of calls and results:\n${lines}\nGo on from here; look again at what you need to know.`,
  tasks: (lines: string) => `[steploop] Open tasks of your list:\n${lines}`,
  /** The tools that a session with tool search has called, each as a line of JSON. */
  foundTools: (call: string, lines: string) =>
    `[steploop] Tools that you have found so far. Call them with ${call}, by name:\n${lines}`,
  /** The skills whose instructions are left out or cleared. */
  readSkills: (tool: string, names: readonly string[]) =>
    `[steploop] Skills that you have read, and whose instructions are no longer here: ${names.join(', ')}. Read those that your work needs again with ${tool} before you go on.`,
  resultsCleared:
    '[steploop] To save room, older results of tools are replaced below by facts about them. Look again at what you need to read; do not repeat a call that changes something in order to see its result.',
} as const;
