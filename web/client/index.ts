/** `steploop/client`: the typed client, for browsers and for Node. It needs nothing but web standards. */

export type { Decision } from '../../shared/contract/ag-ui.ts';
export type { BudgetInfo, TenantLimits } from '../../shared/contract/budgets.ts';
export type {
  AgentFigures,
  DayInfo,
  DaysAnswer,
  Figures,
  ModelFigures,
  ToolFigures,
} from '../../shared/contract/days.ts';
export type {
  AgUiEvent,
  CustomEvent,
  Decided,
  Frame,
  RunResult,
  SnapshotMessage,
} from '../../shared/contract/events.ts';
export type { FeedbackInfo, Rating } from '../../shared/contract/feedback.ts';
export type { HistoryFormat, Imported } from '../../shared/contract/history.ts';
export type {
  EndingInfo,
  Problem,
  WaitDetails,
  WaitInfo,
} from '../../shared/contract/http.ts';
export type { SessionRow } from '../../shared/contract/listing.ts';
export type { AttachmentInfo, MessageContent } from '../../shared/contract/message.ts';
export type {
  CreateSessionBody as CreateSession,
  PageAnswerBody,
  PageBody,
} from '../../shared/contract/page-input.ts';
export type { PageState } from '../../shared/contract/page-state.ts';
export type { PersonErasure } from '../../shared/contract/people.ts';
export type {
  GuardReplay,
  ReplayAnswer,
  ReplayedEnd,
  ReplayedVerdict,
} from '../../shared/contract/replays.ts';
export type { ScheduleInfo, TickInfo } from '../../shared/contract/schedules.ts';
export type { Reason, State } from '../../shared/contract/session.ts';
export type { CallInfo, StepDetails, StepInfo, StepRequest } from '../../shared/contract/steps.ts';
export type { TenantKeyInfo } from '../../shared/contract/tenant-keys.ts';
export type {
  DeadDeliveryInfo,
  ForkedSession,
  KeyInfo,
  NewSchedule,
  SessionInfo,
  SessionsAsked,
  TicksPage,
} from './answers.ts';
export { type Client, type ConnectOptions, connect, type Listener, type Subscription } from './connect.ts';
export { httpClient, type Token } from './http.ts';
export type { HttpClient } from './http-client.ts';
export { isFinal, ProblemError } from './problem.ts';
export { type Smooth, smooth } from './smooth.ts';
export type { Status } from './socket.ts';
export {
  type CallItem,
  emptyView,
  fold,
  type Item,
  isWaitingForTools,
  type RunView,
  textOf,
  type View,
} from './view.ts';
export { watchSession } from './watch.ts';
