import type { AgUiEvent } from '../../../contract/events.ts';
import type { Policies } from '../../config/policies.ts';
import type { ToolSearch } from '../../config/tool-search.ts';
import type { EventStream } from '../../events/stream.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import type { StepMoments } from '../../ports/meter.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { Mode } from '../../session/proposals.ts';
import type { Packed, Session } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';
import type { Tool } from '../../tools/tool.ts';
import type { HasTools } from '../../tools/toolset.ts';
import type { Answers } from './answers.ts';
import type { Lease } from './lease.ts';
import type { Loaded } from './load.ts';
import type { StepOptions } from './options.ts';
import type { Recovered } from './recovered.ts';

/** The skills of an agent, as deployed now. */
interface HasSkills {
  readonly skills?: readonly string[];
  readonly workspaceSkills?: boolean | readonly string[];
}

/** A claimed step: what it works on and with. */
export interface Step {
  readonly loaded: Loaded;
  /** The committed state, with a run begun if none was active. */
  readonly session: Session;
  /** Committed slots that the step has read: those of the model's context. The conversation that people read may begin earlier. */
  readonly history: readonly Slot[];
  /** Slots that an earlier owner wrote and did not commit: they are used instead of being made again. */
  readonly recovered: Recovered;
  /** An earlier attempt at this step died: clients may have seen any part of it. */
  readonly isRetry: boolean;
  /** The call that it works for has its result already: it ends as cancelled. */
  readonly orphan: boolean;
  readonly guards: readonly AnyGuard[];
  /** The agent's tools, their sources and policies, as deployed now; absent if the agent is no longer deployed. */
  readonly agent:
    | (HasTools &
        Policies &
        HasSkills & { readonly mode?: Mode | undefined; readonly toolSearch?: ToolSearch })
    | undefined;
  /** Reads deployed skills by their names. */
  readonly skillsOf?: StepOptions['skillsOf'];
  /** The tools of the session. */
  readonly tools: readonly Tool[];
  /** The definition that the first reply is asked under: the reply is stored with it (`list-tools.ts`). */
  readonly listed?: string;
  /** Reads its answers, if they are objects. */
  readonly answers?: Answers;
  readonly stream: EventStream;
  readonly lease: Lease;
  readonly invocation: Invocation;
  readonly io: Ports;
  /** Resolves when external listeners have been told of the start, or that has failed. */
  readonly mentioned: Promise<void>;
  /** Resolves to the inbox events that are not yet known to be marked done. */
  readonly marking: Promise<readonly string[]>;
  /** Resolves to how far the packs go, if a pack was written during this step. Never rejects. */
  readonly packing: Promise<Packed | undefined>;
  /** Slots that this step has written, in the order of writing. */
  readonly kept: Slot[];
  readonly times: StepMoments;
  readonly stepName: string;
  /** Events to be told with the commit, after all others of the step but its end. */
  readonly atCommit: AgUiEvent[];
}

/** The session as a step knows it. */
export type SessionPart = Pick<Step, 'history' | 'loaded' | 'session'>;

/** The part of a step with which it writes its slots. */
export type WritingPart = SessionPart & Pick<Step, 'io' | 'kept'>;
