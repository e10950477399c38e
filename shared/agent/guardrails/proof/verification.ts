import type * as z from 'zod';
import type { Requirement, Verification } from '../../config/replies.ts';
import { type Proof, proofOf } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import { words } from '../../words/words.ts';
import { builtIn } from '../guard-codes.ts';

type Config = z.output<typeof Verification>;

type State = {
  changedFiles: readonly string[];
  /** The last verification after the last change. Its exit code is null if a pipe or a later command hides it. */
  verification: { readonly ran: boolean; readonly exitCode: number | null };
  nudges: number;
  /** The user's messages only ask for information. */
  informational: boolean;
};

const MAX_FILES = 20;
const notRun = { ran: false, exitCode: 0 };

/**
 * Accepts a run's claim only with proof. The proof is read from tool results: which files changed, and the result of the last
 * verification after the last change.
 */
export const verificationGuard = (config: Config) =>
  builtIn<'verification', State>({
    name: 'verification',
    scope: 'run',
    initial: { changedFiles: [], verification: notRun, nudges: 0, informational: true },
    hooks: {
      inject: (state, { said }) =>
        isOff(config) || said.length === 0
          ? undefined
          : {
              state: { ...state, informational: state.informational && said.every(words().isInformational) },
            },
      result: (state, { call, result, tool }) => {
        if (isOff(config)) return undefined;
        const proof = proofOf(call, result, tool);
        if (!proof.unverifies && !proof.verified) return undefined;
        return { state: { ...state, ...withProof(state, proof), nudges: 0 } };
      },
      complete: (state, { reply, textOnly }) => {
        if (isOff(config) || textOnly || reply.stop === 'max_tokens') return undefined;
        const missing = contractOf(config, state.informational).filter((wanted) => !isProved(wanted, state));
        const [first] = missing;
        if (!first) return undefined;
        if (state.nudges < config.maxNudges) {
          const { ran, exitCode } = state.verification;
          const text = guardTexts.unproved(missing, ran ? { exitCode } : undefined);
          return {
            state: { ...state, nudges: state.nudges + 1 },
            verdict: { kind: 'nudge', code: `wants_${first}`, text },
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
            code: `wants_${first}`,
            message: `The run was to prove ${missing.join(' and ')}, and did not.`,
          },
        };
      },
    },
  });

/**
 * Whether a run has to change something, for guards that ask for it: `always`, or if its messages ask for more than information
 * (`asked`). `no` if the agent says that nothing is to change; `open` if it says nothing about that.
 */
export function asksForChanges(config: Config): 'always' | 'asked' | 'open' | 'no' {
  if (!isOff(config)) return config.contract !== undefined || config.mode === 'verify' ? 'always' : 'asked';
  return config.contract !== undefined || config.mode !== undefined ? 'no' : 'open';
}

const isOff = (config: Config): boolean => contractOf(config, false).length === 0;

/** The parts of the contract that the run itself must prove. If there is a command, it proves that a verification has passed. */
const contractOf = (config: Config, informational: boolean): readonly Requirement[] =>
  config.command === undefined
    ? requiredBy(config, informational)
    : requiredBy(config, informational).filter((wanted) => wanted === 'files_changed');

/** The contract. */
export function requiredBy({ mode, contract }: Config, informational: boolean): readonly Requirement[] {
  if (contract === 'none') return [];
  if (contract !== undefined) return typeof contract === 'string' ? [contract] : contract;
  switch (mode) {
    case 'patch':
      return informational ? [] : ['files_changed'];
    case 'verify':
      return ['verification_passed'];
    case 'read_only':
    case 'docs':
    case undefined:
      return [];
    default:
      return mode satisfies never;
  }
}

/** A change invalidates an earlier verification. */
function withProof(state: State, { changed, unverifies, verified }: Proof) {
  const changedFiles = [...new Set([...state.changedFiles, ...changed])].slice(-MAX_FILES);
  const before = unverifies ? notRun : state.verification;
  return { changedFiles, verification: verified ? { ran: true, exitCode: verified.exitCode } : before };
}

function isProved(wanted: Requirement, { changedFiles, verification }: State): boolean {
  switch (wanted) {
    case 'files_changed':
      return changedFiles.length > 0;
    case 'verification_ran':
      return verification.ran;
    case 'verification_passed':
      return verification.ran && verification.exitCode === 0;
    default:
      return wanted satisfies never;
  }
}
