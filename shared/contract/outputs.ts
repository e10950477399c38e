import type { DeploymentFacts } from './facts.ts';

/**
 * The outputs of a deployment's stack, for the people who work with it. Outputs for unused parts of a definition are
 * absent.
 */
export const outputs = {
  HttpUrl: 'Base URL of the HTTP API.',
  HttpDomainTarget: "Where the HTTP API's domain name must point to.",
  SocketUrl: 'URL of the WebSocket API.',
  SocketDomainTarget: "Where the WebSocket API's domain name must point to.",
  AguiUrl: 'URL of AG-UI over SSE.',
  ChatUrl: 'URL for useChat of the AI SDK.',
  TableName: 'The DynamoDB table that holds everything.',
  BlobBucketName: 'The S3 bucket for content too large for the table.',
  StepQueueUrl: 'The queue of steps.',
  DeadLetterQueueUrl: 'The queue of steps that failed five times.',
  ToolQueueUrl: 'The queue of calls that run from a queue.',
  DeliveryQueueUrl: 'The queue of deliveries to external listeners.',
  MailQueueUrl: 'The queue of received mails.',
  MailRuleSetName: 'The rule set of SES with the rule of received mails: make it the active one.',
  AlarmsTopicArn: 'The topic that receives alarms.',
  DashboardName: 'The dashboard in CloudWatch.',
  ApiTokenSecretArn: 'The secret that holds the bearer token of the HTTP API.',
  CallbackSigningSecretArn: 'The secret that signs callbacks.',
  SlackSigningSecretArn: "The secret for the Slack app's signing secret: put yours in.",
  SlackClientSecretArn: "The secret for the Slack app's client secret: put yours in.",
} as const;

/** The name of an output. */
export type Output = keyof typeof outputs;

/**
 * How programs find resources in a synthesized template: its `Metadata.Steploop` has one of these for each construct,
 * by its path.
 */
export interface TemplateEntry {
  /** The path of the definition, as the app wrote it. */
  readonly definition: string;
  readonly facts: DeploymentFacts;
  /** Logical ids of outputs. */
  readonly outputs: Readonly<Partial<Record<Output, string>>>;
  /** Logical ids of functions, by the names of their sources: `step`, `dead-letter`. */
  readonly functions: Readonly<Record<string, string>>;
  /** Logical ids of the secrets that the definition declares, by name; their `Ref` is the ARN. */
  readonly secrets: Readonly<Record<string, string>>;
}
