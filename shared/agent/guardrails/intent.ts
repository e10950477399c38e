import * as z from 'zod';
import { textOf } from '../reply.ts';
import { texts } from '../texts.ts';
import { changesFiles, proofOf, tellsFailure } from '../tools/facts.ts';
import { words } from '../words.ts';
import { defineGuard } from './guard.ts';
import { declines, requestedArtifacts, speaksOfTrouble } from './prose.ts';

/** What is done about answers that only announce what they were to do (U4). */
export const Intent = z.strictObject({
  /** Such answers in a row that are sent back; 0 = off (H3: 3, T29: 2). */
  max: z.int().min(0).max(100).default(2),
  /**
   * After that the answer is accepted (H3), or the run ends as `incomplete_action` (T29). Accepted by default: what a
   * text is about is a guess, and a guess must not take an answer from its user.
   */
  onExhausted: z.enum(['accept', 'fail']).default('accept'),
  /** A `*.md` file that the user asked for and nobody wrote counts as well (T29). */
  artifacts: z.boolean().default(true),
  /** Only where the agent has tools to act with: else an announcement is all that it can do. */
  needsTools: z.boolean().default(true),
});

type State = {
  nudges: number;
  /** The last result told of a failure: a text that explains it is no announcement. */
  failed: boolean;
  /** Files that the user asked for and nobody has written yet. */
  awaited: readonly string[];
};

/** Files that are kept in mind. */
const MAX_AWAITED = 10;

/** Sends back an answer that announces an action and takes none (H3), or leaves out a file that was asked for (T29). */
export const intentGuard = ({ max, onExhausted, artifacts, needsTools }: z.output<typeof Intent>) =>
  defineGuard<State>({
    name: 'intent',
    scope: 'streak',
    initial: { nudges: 0, failed: false, awaited: [] },
    hooks: {
      inject: (state, { said }) => {
        const asked = artifacts && max > 0 ? said.flatMap(requestedArtifacts) : [];
        if (asked.length === 0) return undefined;
        return {
          state: { ...state, awaited: [...new Set([...state.awaited, ...asked])].slice(-MAX_AWAITED) },
        };
      },
      reply: (state, { reply }) =>
        reply.calls.length > 0 && state.nudges > 0 ? { state: { ...state, nudges: 0 } } : undefined,
      result: (state, { call, result, tool }) => {
        if (max === 0) return undefined;
        const { changed } = proofOf(call, result, tool);
        const awaited = state.awaited.filter(
          (path) => !changed.some((done) => done === '?' || sameFile(done, path)),
        );
        return { state: { ...state, failed: tellsFailure(result), awaited } };
      },
      complete: (state, { reply, textOnly, tools }) => {
        const text = textOf(reply.content);
        if (max === 0 || textOnly || reply.stop === 'max_tokens' || text.trim() === '') return undefined;
        if (needsTools && tools.length === 0) return undefined;
        const announced = words().announcesAction(text) && !(state.failed && speaksOfTrouble(text));
        // Who asks first, or says that it was not done and why, has not forgotten it.
        const missing =
          tools.some(changesFiles) && !words().asksUser(text) && !declines(text) ? state.awaited : [];
        if (!announced && missing.length === 0) return undefined;
        if (state.nudges < max) {
          const nudge = announced ? texts.actNow : texts.artifactMissing(missing);
          const code = announced ? 'planning_prose' : 'artifact_missing';
          return {
            state: { ...state, nudges: state.nudges + 1 },
            verdict: { kind: 'nudge', code, text: nudge, ...(state.nudges > 0 && { yields: true }) },
          };
        }
        if (onExhausted === 'accept') {
          return { verdict: { kind: 'flag', code: 'intent_accepted', reason: 'completed' } };
        }
        const message = announced
          ? 'The model announced what it would do, and did not do it.'
          : `What was asked for was not written: ${missing.join(', ')}.`;
        return {
          verdict: {
            kind: 'halt',
            state: 'error',
            reason: 'incomplete_action',
            code: 'incomplete_action',
            message,
          },
        };
      },
    },
  });

/** `./notes/plan.md`, `notes/plan.md` and `/work/notes/plan.md` are one file to a person. */
const sameFile = (written: string, asked: string): boolean => {
  const bare = asked.replace(/^\.?\//, '');
  return written === bare || written.endsWith(`/${bare}`);
};
