import type * as z from 'zod';
import type { Intent } from '../../config/replies.ts';
import { changesFiles, proofOf, tellsFailure } from '../../session/facts.ts';
import { textOf } from '../../session/reply.ts';
import { guardTexts } from '../../texts/guards.ts';
import { declines, speaksOfTrouble } from '../../words/prose.ts';
import { words } from '../../words/words.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  nudges: number;
  /** All nudges of the run, also before calls in between. */
  total: number;
  /** The last result reported a failure: a text that explains it is not an announcement. */
  failed: boolean;
  /** Files that the user asked for and that were not written yet. */
  awaited: readonly string[];
};

/** Files that are remembered. */
const MAX_AWAITED = 10;

/** Sends back an answer that announces an action without taking it, or leaves out a file that was asked for. */
export const intentGuard = ({ max, total, onExhausted, artifacts, needsTools }: z.output<typeof Intent>) =>
  builtIn<'intent', State>({
    name: 'intent',
    scope: 'streak',
    initial: { nudges: 0, total: 0, failed: false, awaited: [] },
    hooks: {
      inject: (state, { said }) => {
        const asked = artifacts && max > 0 ? said.flatMap(words().requestedArtifacts) : [];
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
      complete: (state, { reply, textOnly, tools, answer }) => {
        const text = textOf(reply.content);
        if (max === 0 || textOnly || reply.stop === 'max_tokens' || text.trim() === '') return undefined;
        if (needsTools && tools.length === 0) return undefined;
        // An object that was asked for counts as given, whatever its fields say.
        const announced =
          answer?.().kind !== 'fits' &&
          words().announcesAction(text) &&
          !(state.failed && speaksOfTrouble(text));
        // A model that asks first, or says that the work was not done and why, has not forgotten it.
        const missing =
          tools.some(changesFiles) && !words().asksUser(text) && !declines(text) ? state.awaited : [];
        if (!announced && missing.length === 0) return undefined;
        if (state.nudges < max && (total === 0 || state.total < total)) {
          const nudge = announced ? guardTexts.actNow : guardTexts.artifactMissing(missing);
          const code = announced ? 'planning_prose' : 'artifact_missing';
          return {
            state: { ...state, nudges: state.nudges + 1, total: state.total + 1 },
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

/** For a person, `./notes/plan.md`, `notes/plan.md` and `/work/notes/plan.md` are one file. */
const sameFile = (written: string, asked: string): boolean => {
  const bare = asked.replace(/^\.?\//, '');
  return written === bare || written.endsWith(`/${bare}`);
};
