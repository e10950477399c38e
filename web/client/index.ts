/** `steploop/client`: the typed client, for browsers and for Node. It needs nothing but web standards. */

export type { Decision } from '../../shared/contract/ag-ui.ts';
export type { EditBody, ForkBody } from '../../shared/contract/branches.ts';
export type { BudgetInfo, TenantLimits, TenantUse } from '../../shared/contract/budgets.ts';
export type {
  AgUiEvent,
  CustomEvent,
  Decided,
  DecidedBefore,
  Frame,
  GuardNotice,
  Interrupt,
  ModelName,
  OmittedNotice,
  OmittedPart,
  ProviderSwitch,
  Recovery,
  RecoveryNotice,
  RetryNotice,
  RunOutcome,
  RunResult,
  SnapshotMessage,
  StepUsage,
  TenantBudgetNotice,
  WrapUpSummary,
} from '../../shared/contract/events.ts';
export type { HistoryFormat, Imported, ImportSession, LeftOut } from '../../shared/contract/history.ts';
export type {
  CreateSession,
  EndingInfo,
  GrantInfo,
  Problem,
  StandingDecision,
  WaitDetails,
  WaitInfo,
} from '../../shared/contract/http.ts';
export type { KeyScope } from '../../shared/contract/identity.ts';
export type { ForkOf, SessionRow } from '../../shared/contract/listing.ts';
export type { AttachmentInfo, AttachmentLink, MessageContent } from '../../shared/contract/message.ts';
export type { PersonErasure } from '../../shared/contract/people.ts';
export type {
  CompletedReason,
  LastEnding,
  Reason,
  State,
  Totals,
  Usage,
} from '../../shared/contract/session.ts';
export type {
  BlockInfo,
  CallInfo,
  FoldInfo,
  InputInfo,
  ResultInfo,
  StepDetails,
  StepInfo,
  StepRequest,
  StepsAnswer,
  StepTimes,
  VerdictInfo,
} from '../../shared/contract/steps.ts';
export {
  type Client,
  type ConnectOptions,
  connect,
  type From,
  type Listener,
  type Ran,
  type Subscription,
} from './connect.ts';
export {
  type Accepted,
  type DeadDeliveryInfo,
  type ForkedSession,
  type HttpClient,
  httpClient,
  isFinal,
  type KeyInfo,
  ProblemError,
  type Repeatable,
  type SessionInfo,
  type SessionsAsked,
  type SessionsPage,
  type StepsPage,
  type Token,
} from './http.ts';
export type { Status, WebSocketConstructor } from './socket.ts';
export {
  type CallItem,
  emptyView,
  fold,
  type Item,
  type MessageItem,
  type RunView,
  textOf,
  type View,
} from './view.ts';
export { type Watcher, watchSession } from './watch.ts';
