import * as z from 'zod';
import { Budget } from './budget.ts';
import { Empty } from './empty.ts';
import { Intent } from './intent.ts';
import { Parsing } from './malformed.ts';
import { Recovery } from './recovery.ts';
import { StatusOnly } from './status-only.ts';
import { ToolErrors } from './tool-errors.ts';
import { Truncation } from './truncation.ts';
import { Verification } from './verification.ts';

/** How replies are read and answered, what budgets do, and what a failed run may recover from: U2 to U5, U9, U10. */
export const responseShape = {
  /** Replies cut at the output limit (U2). */
  truncation: Truncation.prefault({}),
  /** Replies of nothing, or of nothing but thinking (U3). */
  empty: Empty.prefault({}),
  /** Answers that only announce (U4). */
  intent: Intent.prefault({}),
  /** Answers that are only a status (H5). */
  statusOnly: StatusOnly.prefault({}),
  /** What a run must prove (H4, U9). */
  verification: Verification.prefault({}),
  /** Tagged thinking, and calls written as text (H19). */
  parsing: Parsing.prefault({}),
  /** Tools that keep failing (H16, A23). */
  toolErrors: ToolErrors.prefault({}),
  /** On the way to the budget, and at it (U5). */
  budget: Budget.prefault({}),
  /** How often a failed run goes on (U10). */
  recovery: Recovery.prefault({}),
};

const Responses = z.object(responseShape);
export type Responses = z.output<typeof Responses>;
const defaults = Responses.parse({});

/** The settings of a session, those that it was pinned without filled in (A17). */
export const responsesOf = (pinned: Partial<Responses>): Responses => ({ ...defaults, ...pinned });
