import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Decider } from '../../shared/agent/define/may-decide.ts';
import type { SlackConfig } from '../../shared/agent/define/slack.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { PriceOf } from '../../shared/agent/session/pinned.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { FeedbackStore } from '../../shared/edge/feedback.ts';
import type { SlackApi } from '../../shared/slack/api.ts';
import type { SlackJobs } from '../../shared/slack/jobs.ts';
import type { ProfileOf } from '../../shared/slack/profiles.ts';
import type { TokenOf } from '../../shared/slack/renewed.ts';
import type { Installation, SlackStore, SlackTokens } from '../../shared/slack/store.ts';
import type { DecidedAs } from '../middleware/decide.ts';

/** The ports of the Slack app's routes and jobs. */
export interface SlackContext {
  readonly io: Pick<Ports, 'clock' | 'ids' | 'sessions' | 'inbox' | 'queue' | 'blobs' | 'listings'> & {
    readonly outbound: OutboundStore;
  };
  readonly feedback: FeedbackStore;
  readonly store: SlackStore;
  readonly tokens: SlackTokens;
  /** A currently valid token of the bot. */
  readonly tokenOf: TokenOf;
  readonly jobs: SlackJobs;
  readonly agents: readonly Agent[];
  readonly config: SlackConfig;
  readonly priceOf: PriceOf;
  readonly decide: Decide;
  /** Base URL of Slack's Web API: `https://slack.com/api/`. */
  readonly apiUrl: string;
  readonly apiOf: (installation: Installation) => Promise<SlackApi>;
  /** Name and time zone of a person. */
  readonly profileOf: ProfileOf;
}

/** Decides what a session asks of a person, if they may decide it: `decideAs`. */
export type Decide = (
  by: Decider,
  key: SessionKey,
  decision: Pick<Decision, 'id' | 'approved' | 'grant' | 'note'>,
) => Promise<DecidedAs>;

export type Request = APIGatewayProxyEventV2;
export type Response = APIGatewayProxyStructuredResultV2;
