import * as z from 'zod';
import { texts } from '../texts.ts';
import { proofOf } from '../tools/facts.ts';
import { defineGuard } from './guard.ts';
import { isInformational } from './prose.ts';

/** What a run must have proved when it says that it is done, each more than the one before (H4). */
const contracts = ['none', 'files_changed', 'verification_ran', 'verification_passed'] as const;
type Contract = (typeof contracts)[number];

/** What a run must prove before its answer counts (U9's contract, H4). */
export const Verification = z.strictObject({
  /** `patch` asks for a changed file, unless the user only asks a question; `verify` for a verification that passed. */
  mode: z.enum(['read_only', 'docs', 'patch', 'verify']).default('read_only'),
  /** Goes before what the mode asks for. */
  contract: z.enum(contracts).optional(),
  /** Answers in a row that are sent back for want of proof (H4: 5; ours 3). */
  maxNudges: z.int().min(0).max(100).default(3),
  /** After that the answer is accepted (H4), or the run ends as `verification_failed`. */
  onExhausted: z.enum(['accept', 'verification_failed']).default('verification_failed'),
});
type Config = z.output<typeof Verification>;

type State = {
  changedFiles: readonly string[];
  verification: { readonly ran: boolean; readonly exitCode: number };
  nudges: number;
  /** The user's messages only ask to be told something. */
  informational: boolean;
};

const MAX_FILES = 20;
const notRun = { ran: false, exitCode: 0 };

/**
 * Takes a run's word only with proof. The proof is read off tool results: which files changed, and what the last
 * verification after the last change came to.
 */
export const verificationGuard = (config: Config) =>
  defineGuard<State>({
    name: 'verification',
    scope: 'run',
    initial: { changedFiles: [], verification: notRun, nudges: 0, informational: true },
    hooks: {
      inject: (state, { said }) =>
        isOff(config) || said.length === 0
          ? undefined
          : { state: { ...state, informational: state.informational && said.every(isInformational) } },
      result: (state, { call, result, tool }) => {
        if (isOff(config)) return undefined;
        const { changed, verified } = proofOf(call, result, tool);
        if (changed.length === 0 && !verified) return undefined;
        return { state: { ...state, ...withProof(state, changed, verified?.exitCode), nudges: 0 } };
      },
      complete: (state, { reply, textOnly }) => {
        if (isOff(config) || textOnly || reply.stop === 'max_tokens') return undefined;
        const wanted = contractOf(config, state.informational);
        const proved = provedBy(state);
        if (contracts.indexOf(proved) >= contracts.indexOf(wanted)) return undefined;
        if (state.nudges < config.maxNudges) {
          const text = texts.unproved(wanted, proved, state.verification.exitCode);
          return {
            state: { ...state, nudges: state.nudges + 1 },
            verdict: { kind: 'nudge', code: `wants_${wanted}`, text },
          };
        }
        if (config.onExhausted === 'accept') {
          return { verdict: { kind: 'flag', code: 'unverified_accepted', reason: 'completed' } };
        }
        return {
          verdict: {
            kind: 'halt',
            state: 'error',
            reason: 'verification_failed',
            code: `wants_${wanted}`,
            message: `The run was to prove ${wanted}, and proved ${proved}.`,
          },
        };
      },
    },
  });

/**
 * Whether a run has to change something, for guards that ask for it: `always`, or as far as its messages ask for more than
 * to be told something (`asked`). `open` is what the mode `read_only` leaves it, which is also that of nobody's choosing.
 */
export function asksForChanges(config: Config): 'always' | 'asked' | 'open' | 'no' {
  if (!isOff(config)) return config.contract || config.mode === 'verify' ? 'always' : 'asked';
  return config.contract === 'none' || config.mode === 'docs' ? 'no' : 'open';
}

const isOff = (config: Config): boolean => contractOf(config, false) === 'none';

function contractOf({ mode, contract }: Config, informational: boolean): Contract {
  if (contract) return contract;
  switch (mode) {
    case 'patch':
      return informational ? 'none' : 'files_changed';
    case 'verify':
      return 'verification_passed';
    case 'read_only':
    case 'docs':
      return 'none';
    default:
      return mode satisfies never;
  }
}

/** A change makes an earlier verification worthless. */
function withProof(state: State, changed: readonly string[], exitCode: number | undefined) {
  const changedFiles = [...new Set([...state.changedFiles, ...changed])].slice(-MAX_FILES);
  const before = changed.length > 0 ? notRun : state.verification;
  return { changedFiles, verification: exitCode === undefined ? before : { ran: true, exitCode } };
}

function provedBy({ changedFiles, verification }: State): Contract {
  if (verification.ran) return verification.exitCode === 0 ? 'verification_passed' : 'verification_ran';
  return changedFiles.length > 0 ? 'files_changed' : 'none';
}
