/** The props of a `Steploop` with their defaults, checked against its definition. */

import { Names, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import type { DeploymentFacts, IdentityFacts } from '../shared/contract/facts.ts';
import { type ComputeConfig, computeWrong, memoryOf } from './compute.ts';
import { WrongDefinition } from './definition/wrong.ts';
import { type LanesConfig, lanesWrong } from './lanes.ts';
import type {
  AguiAccess,
  AlarmProps,
  ConsoleProps,
  DomainProps,
  SteploopProps,
  TelemetryProps,
  VpcProps,
} from './props.ts';
import { Props } from './props-schema.ts';

export interface Config extends ComputeConfig, LanesConfig {
  /** Unique among all deployments of an account. */
  readonly name: string;
  readonly facts: DeploymentFacts;
  /** Values that override the definition's own. */
  readonly settings: Readonly<Record<string, string>>;
  readonly modelUrls: Readonly<Record<string, string>>;
  readonly identity: IdentityFacts | undefined;
  readonly slackClientId: string | undefined;
  readonly mailRuleSet: string | undefined;
  readonly concurrency: {
    readonly steps: number;
    readonly tools: number;
    readonly slack: number;
    readonly callbacks: number;
    readonly agui: number | undefined;
  };
  readonly agui: { readonly access: AguiAccess };
  readonly webAcl: string | undefined;
  readonly requests: { readonly http: number; readonly socket: number };
  readonly stepLeaseSeconds: number;
  readonly budgets: {
    readonly tokensPerDay: number;
    readonly usdPerDay: number;
    readonly stepsPerDay: number;
  };
  readonly limits: {
    readonly messagesPerMinute: number;
    readonly requestsPerSecond: number;
    readonly sessionsAtOnce: number;
    readonly streamsAtOnce: number;
    readonly watchSeconds: number;
  };
  readonly vpc: VpcProps | undefined;
  readonly domain: DomainProps;
  readonly console: ConsoleProps | false;
  readonly alarms: AlarmProps | false;
  readonly dashboard: boolean;
  readonly telemetry: TelemetryProps | undefined;
  readonly retention: { readonly sessionsDays: number | undefined };
  readonly logRetention: RetentionDays;
  readonly encryptionKey: IKey | undefined;
  readonly tenantKeys: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
  readonly pointInTimeRecovery: boolean;
}

/** Reserved concurrency of AG-UI: twice the default of responses that one tenant may have open; a usual account has 1,000 in all. */
const AGUI_AT_ONCE = 200;

/** Throws {@link WrongDefinition} if the props are wrong or do not fit the definition. */
export function configOf(scope: Construct, props: SteploopProps, facts: DeploymentFacts): Config {
  const place = `Steploop ${scope.node.path}`;
  const parsed = Props.safeParse(props);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    throw new WrongDefinition(`${place}: ${wrong.join('; ')}`);
  }
  const { definition: _, name, identity, memory: given, ...rest } = parsed.data;
  const { agui: saidAgui } = rest.concurrency;
  const reservedAgui = saidAgui === 'unreserved' ? undefined : saidAgui;
  const memory = memoryOf(given, rest.compute, rest.managed, facts);
  const wrong = [
    ...settingsWrong(rest.settings, facts),
    ...unknown('modelUrls', rest.modelUrls, facts.models, 'no model server'),
    ...(Object.keys(identity).length > 0 && !facts.identity
      ? ['identity: the definition has none, so JWTs are not accepted']
      : []),
    ...lanesWrong(rest, rest.concurrency.steps),
    ...computeWrong({ ...rest, memory }, rest.vpc !== undefined, reservedAgui),
    ...edgeWrong(rest, facts),
    ...(rest.console && rest.console.clientId !== undefined && !facts.identity
      ? ['console.clientId: the definition has no identity, so JWTs are not accepted']
      : []),
    ...(rest.tenantKeys && !rest.encryptionKey
      ? ["tenantKeys: a KMS key must wrap them, so give one: encryptionKey: new Key(this, 'Key')"]
      : []),
    ...(rest.slackClientId !== undefined && !facts.slack
      ? ['slackClientId: the definition has no slack']
      : []),
    ...(rest.mailRuleSet !== undefined && facts.mailboxes.length === 0
      ? ['mailRuleSet: the definition has no email']
      : []),
  ];
  if (wrong.length > 0) throw new WrongDefinition(`${place}: ${wrong.join('; ')}`);
  return {
    ...rest,
    facts,
    memory,
    name: name ?? nameOf(scope),
    identity: facts.identity && {
      ...facts.identity,
      ...(identity.issuer !== undefined && { issuer: identity.issuer }),
      ...(identity.audiences && { audiences: identity.audiences }),
    },
    slackClientId: rest.slackClientId,
    mailRuleSet: rest.mailRuleSet,
    concurrency: {
      ...rest.concurrency,
      agui: saidAgui === undefined && rest.compute.agui === 'lambda' ? AGUI_AT_ONCE : reservedAgui,
    },
    agui: { access: rest.agui.access ?? (rest.webAcl === undefined ? 'public' : 'cloudfront') },
    webAcl: rest.webAcl,
    vpc: rest.vpc as VpcProps | undefined,
    domain: rest.domain as DomainProps,
    console: rest.console as ConsoleProps | false,
    alarms: rest.alarms as AlarmProps | false,
    telemetry: rest.telemetry as TelemetryProps | undefined,
    retention: { sessionsDays: rest.retention.sessionsDays },
    encryptionKey: rest.encryptionKey as IKey | undefined,
    logRetention: rest.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: rest.removalPolicy ?? RemovalPolicy.RETAIN,
  };
}

/** A name from the stack and the path to the construct. It gets a hash if it is too long or not known yet. */
function nameOf(scope: Construct): string {
  const { stackName, node } = Stack.of(scope);
  const way = scope.node.scopes.slice(node.scopes.length).map((above) => above.node.id);
  const name = [stackName, ...way].join('-').replaceAll(/[^\w-]/g, '-');
  if (!Token.isUnresolved(stackName) && name.length <= 64) return name;
  return Names.uniqueResourceName(scope, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-_' });
}

/** Addresses that cannot be protected in the way that the props ask for. */
function edgeWrong(
  { agui, webAcl }: Pick<z.output<typeof Props>, 'agui' | 'webAcl'>,
  facts: DeploymentFacts,
): string[] {
  const hasAddress = facts.agui || facts.chat;
  if (webAcl !== undefined && !hasAddress)
    return [
      'webAcl: AWS WAF protects no HTTP or WebSocket API of API Gateway and no function URL, only a CloudFront distribution, and only agui or chat of the definition has one. Put a distribution of your own in front of the HTTP API (docs/deploy.md#a-web-acl)',
    ];
  if (webAcl !== undefined && agui.access !== undefined && agui.access !== 'cloudfront')
    return [
      `webAcl: AWS WAF does not protect a function URL, so agui.access must be 'cloudfront', not '${agui.access}'`,
    ];
  return agui.access !== undefined && !hasAddress
    ? ['agui.access: the definition has neither agui nor chat, so there is no such address']
    : [];
}

function settingsWrong(settings: Readonly<Record<string, string>>, facts: DeploymentFacts): string[] {
  const missing = Object.entries(facts.settings).filter(
    ([name, setting]) => setting.default === undefined && settings[name] === undefined,
  );
  return [
    ...unknown('settings', settings, facts.settings, 'no setting'),
    ...missing.map(
      ([name, { description }]) => `settings.${name}: has no default, so give a value (${description})`,
    ),
  ];
}

const unknown = (prop: string, named: object, declared: object, none: string): string[] =>
  Object.keys(named)
    .filter((name) => !Object.hasOwn(declared, name))
    .map((name) => `${prop}.${name}: the definition declares ${none} of this name`);
