import type { ChatChunk } from './chunks.ts';
import { answerIdOf } from './ids.ts';
import type { ChatState } from './state.ts';

/** Keeps track of what a client has received of an answer, and makes the chunks that begin and end its steps. */
export interface Book {
  readonly told: Set<string>;
  /** Texts and stretches of thinking. */
  readonly open: Set<string>;
  /** Approvals that the client knows of. */
  readonly asked: Set<string>;
  own: string | undefined;
  until: string | undefined;
  readonly begun: boolean;
  /** The parts that `reset-step` would remove. */
  readonly step: readonly string[];
  /** Begins the answer, unless its beginning was sent. */
  begin(): ChatChunk[];
  /** Records something as sent in the step, which begins with the first such thing. */
  inStep(id: string): ChatChunk[];
  /** Ends the step, if anything was sent in it. */
  nextStep(): ChatChunk[];
  /** Takes back everything that was sent in the step. */
  reset(): ChatChunk[];
  /** Switches to the answer to another message of the user's. */
  answerTo(userMessageId: string): void;
  state(): ChatState;
}

/** The state before anything of an answer is sent. */
export const newState = (answer: string, more: Partial<ChatState> = {}): ChatState => ({
  ...{ answer, begun: false, splits: false, told: [], step: [], stepOpen: false, open: [], asked: [] },
  ...more,
});

export function openBook(from: ChatState): Book {
  let { answer, begun, stepOpen } = from;
  const step = new Set(from.step);
  const book: Book = {
    told: new Set(from.told),
    open: new Set(from.open),
    asked: new Set(from.asked),
    own: from.own,
    until: from.until,
    get begun() {
      return begun;
    },
    get step() {
      return [...step];
    },
    begin() {
      if (begun) return [];
      begun = true;
      return [{ type: 'start', messageId: answer }];
    },
    inStep(id) {
      book.told.add(id);
      step.add(id);
      if (stepOpen) return [];
      stepOpen = true;
      return [{ type: 'start-step' }];
    },
    nextStep() {
      if (!stepOpen || step.size === 0) return [];
      stepOpen = false;
      step.clear();
      return [{ type: 'finish-step' }];
    },
    reset() {
      for (const id of step) {
        book.told.delete(id);
        book.open.delete(id);
      }
      step.clear();
      return [{ type: 'reset-step' }];
    },
    answerTo(userMessageId) {
      answer = answerIdOf(userMessageId);
      book.own = userMessageId;
      begun = false;
      stepOpen = false;
      step.clear();
    },
    state: () => ({
      ...{ answer, begun, splits: from.splits, stepOpen, step: [...step] },
      ...{ told: [...book.told], open: [...book.open], asked: [...book.asked] },
      ...(book.own !== undefined && { own: book.own }),
      ...(book.until !== undefined && { until: book.until }),
    }),
  };
  return book;
}
