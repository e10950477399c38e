/** What may differ between two deployments of one template. The names are `shared/contract/env.ts`'s. */

import { CfnParameter } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { parameter } from '../shared/contract/env.ts';

export interface Parameters {
  stepLeaseSeconds: CfnParameter;
  stepConcurrency: CfnParameter;
  tenantTokensPerDay: CfnParameter;
  tenantUsdPerDay: CfnParameter;
  tenantStepsPerDay: CfnParameter;
  toolConcurrency: CfnParameter;
  modelBaseUrl: CfnParameter;
  modelAuth: CfnParameter;
  secondModelBaseUrl: CfnParameter;
  secondModelAuth: CfnParameter;
  githubApiUrl: CfnParameter;
  callbackLoopback: CfnParameter;
  slackApiUrl: CfnParameter;
  slackClientId: CfnParameter;
  oidcIssuer: CfnParameter;
  oidcAudience: CfnParameter;
  oidcTenantClaim: CfnParameter;
  oidcRolesClaim: CfnParameter;
  messagesPerMinute: CfnParameter;
  sessionsAtOnce: CfnParameter;
  aguiStreamsAtOnce: CfnParameter;
  aguiWatchSeconds: CfnParameter;
  aguiConcurrency: CfnParameter;
  alarmEmail: CfnParameter;
  alarmTopicArn: CfnParameter;
}

/** Declares them on the stack itself, which keeps their logical ids equal to their names. */
export function declareParameters(stack: Construct): Parameters {
  return {
    stepLeaseSeconds: new CfnParameter(stack, parameter.StepLeaseSeconds, {
      type: 'Number',
      default: 60,
      minValue: 2,
      maxValue: 300,
      description:
        'Seconds a step owns its session without a heartbeat. A killed step is retried after this.',
    }),
    stepConcurrency: new CfnParameter(stack, parameter.StepConcurrency, {
      type: 'Number',
      default: 50,
      minValue: 2,
      maxValue: 1000,
      description: 'How many steps run at once, over all sessions.',
    }),
    tenantTokensPerDay: new CfnParameter(stack, parameter.TenantTokensPerDay, {
      type: 'Number',
      default: 0,
      minValue: 0,
      description: 'Input and output tokens that each tenant may use in a UTC day. 0 is unlimited.',
    }),
    tenantUsdPerDay: new CfnParameter(stack, parameter.TenantUsdPerDay, {
      type: 'Number',
      default: 0,
      minValue: 0,
      description: 'USD that each tenant may spend on models in a UTC day. 0 is unlimited.',
    }),
    tenantStepsPerDay: new CfnParameter(stack, parameter.TenantStepsPerDay, {
      type: 'Number',
      default: 0,
      minValue: 0,
      description: 'Steps that each tenant may run in a UTC day. 0 is unlimited.',
    }),
    toolConcurrency: new CfnParameter(stack, parameter.ToolConcurrency, {
      type: 'Number',
      default: 20,
      minValue: 2,
      maxValue: 1000,
      description: 'How many queued calls run at once, over all sessions.',
    }),
    modelBaseUrl: new CfnParameter(stack, parameter.ModelBaseUrl, {
      default: 'https://api.anthropic.com',
      allowedPattern: '^https?://.+',
      description: 'Base URL of the first model server. Agents say which API they speak with it.',
    }),
    modelAuth: new CfnParameter(stack, parameter.ModelAuth, {
      default: 'bearer',
      allowedValues: ['bearer', 'x-api-key', 'both'],
      description: 'How the first key is sent. bearer is what Anthropic and OpenAI take; others differ.',
    }),
    secondModelBaseUrl: new CfnParameter(stack, parameter.SecondModelBaseUrl, {
      default: 'https://api.openai.com/v1',
      allowedPattern: '^https?://.+',
      description: 'Base URL of the second model server, for agents or fallbacks that name it.',
    }),
    secondModelAuth: new CfnParameter(stack, parameter.SecondModelAuth, {
      default: 'bearer',
      allowedValues: ['bearer', 'x-api-key', 'both'],
      description: 'How the second key is sent.',
    }),
    githubApiUrl: new CfnParameter(stack, parameter.GithubApiUrl, {
      default: 'https://api.github.com',
      allowedPattern: '^https?://.+',
      description: 'Base URL of the GitHub REST API.',
    }),
    callbackLoopback: new CfnParameter(stack, parameter.CallbackLoopback, {
      default: 'refuse',
      allowedValues: ['refuse', 'allow'],
      description:
        'Whether callbacks may go to this machine over HTTP. For the laptop: refuse everywhere else.',
    }),
    slackApiUrl: new CfnParameter(stack, parameter.SlackApiUrl, {
      default: 'https://slack.com/api/',
      allowedPattern: '^https?://.+/$',
      description: "Base URL of Slack's Web API.",
    }),
    slackClientId: new CfnParameter(stack, parameter.SlackClientId, {
      default: 'none',
      allowedPattern: '^[\\w.-]+$',
      description: 'Client id of your Slack app, from its Basic Information page (docs/slack.md).',
    }),
    oidcIssuer: new CfnParameter(stack, parameter.OidcIssuer, {
      default: '',
      // Plain HTTP on this machine only: for the embedded stack.
      allowedPattern: '^$|^https://.+|^http://127\\.0\\.0\\.1(:[0-9]+)?(/.*)?$',
      description: 'Issuer of the JWTs that are taken, exactly as in their "iss". Empty: no JWT is taken.',
    }),
    oidcAudience: new CfnParameter(stack, parameter.OidcAudience, {
      default: '',
      description: 'Audiences that a JWT may be for, separated by commas. Needed with OidcIssuer.',
    }),
    oidcTenantClaim: new CfnParameter(stack, parameter.OidcTenantClaim, {
      default: 'tenant',
      allowedPattern: '.+',
      description: 'The claim of a JWT that names its tenant.',
    }),
    oidcRolesClaim: new CfnParameter(stack, parameter.OidcRolesClaim, {
      default: 'roles',
      allowedPattern: '.+',
      description: 'The claim of a JWT that lists roles; steploop-admin may administer the tenant.',
    }),
    messagesPerMinute: new CfnParameter(stack, parameter.MessagesPerMinute, {
      type: 'Number',
      default: 600,
      minValue: 1,
      // One item counts a tenant's minute, and takes 1,000 writes a second at most.
      maxValue: 30_000,
      description: 'Messages that a tenant may send in a minute. More are refused with 429.',
    }),
    sessionsAtOnce: new CfnParameter(stack, parameter.SessionsAtOnce, {
      type: 'Number',
      default: 200,
      minValue: 1,
      // Their ids are one item, and a write costs by its size: 1,000 ids are about 30 KB.
      maxValue: 1000,
      description: 'Sessions of a tenant that may run at once. A message that would start one more gets 429.',
    }),
    aguiStreamsAtOnce: new CfnParameter(stack, parameter.AguiStreamsAtOnce, {
      type: 'Number',
      default: 100,
      minValue: 1,
      // They are one item, as running sessions are.
      maxValue: 1000,
      description: 'SSE responses of a tenant that may be open at once. One more gets 429.',
    }),
    aguiWatchSeconds: new CfnParameter(stack, parameter.AguiWatchSeconds, {
      type: 'Number',
      default: 120,
      minValue: 5,
      // Below the timeout of the function.
      maxValue: 880,
      description:
        'Seconds after which an SSE response that only shows a session ends. Lambda never says when a client has left.',
    }),
    aguiConcurrency: new CfnParameter(stack, parameter.AguiConcurrency, {
      type: 'Number',
      default: 0,
      minValue: 0,
      description:
        'Concurrency reserved for SSE responses, over all tenants. 0: none, as accounts with a limit of 10 need it.',
    }),
    alarmEmail: new CfnParameter(stack, parameter.AlarmEmail, {
      default: 'none',
      allowedPattern: '^none$|^[^@\\s]+@[^@\\s]+$',
      description: 'Address that alarms are mailed to, after it has confirmed that. none: nobody is mailed.',
    }),
    alarmTopicArn: new CfnParameter(stack, parameter.AlarmTopicArn, {
      default: 'none',
      allowedPattern: '^none$|^arn:[\\w-]+:sns:.+',
      description: "An SNS topic that alarms are told to. none: the stack's own.",
    }),
  };
}
