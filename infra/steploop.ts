/** A deployment of agents: one construct for each capability that its definition uses, wired together here and only here. */

import { Stack, Validations } from 'aws-cdk-lib';
import type { HttpApi as Api, WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Output } from '../shared/contract/outputs.ts';
import { askRoutes, channelRoutes, consoleRoutes, slackRoutes } from '../shared/contract/routes.ts';
import { Agui } from './agui.ts';
import { Alarms, withoutAlarms } from './alarm-topic.ts';
import { BlobBucket } from './blobs.ts';
import { Channels } from './channels.ts';
import { crowded } from './compute.ts';
import { type Config, configOf } from './config.ts';
import { Console } from './console.ts';
import { dashboardOf } from './dashboard.ts';
import type { Prepared } from './definition/job.ts';
import { delivers } from './definition/needed.ts';
import { prepare } from './definition/prepare.ts';
import { Deliveries } from './deliveries.ts';
import { Domain } from './domain.ts';
import { letLogsUse } from './encryption.ts';
import type { Ground } from './ground.ts';
import { HttpApi } from './http-api.ts';
import { Mail } from './mail.ts';
import { places } from './managed.ts';
import { describeInTemplate, writeOutputs, writeSecretOutputs } from './outputs.ts';
import type { AguiAccess, SteploopProps } from './props.ts';
import { mindRoom } from './room.ts';
import { Secrets } from './secrets.ts';
import { Slack } from './slack.ts';
import { SocketApi } from './socket-api.ts';
import { StepQueue } from './step-queue.ts';
import { Steps } from './steps.ts';
import { Sweep } from './sweep.ts';
import { SessionTable } from './table.ts';
import { TenantKeys } from './tenant-keys.ts';
import { ToolRoles } from './tool-roles.ts';
import { ToolQueue, Tools } from './tools.ts';
import { unaskedCalls } from './unasked.ts';
import { mindVariables } from './variables.ts';

/**
 * Agents on queues: everything that one definition needs on AWS, and nothing that it does not use.
 *
 * Its constructor loads the definition, checks it and bundles the functions, in a process of its own. It throws {@link
 * WrongDefinition} with one sentence if the definition is wrong, or does not fit the props.
 *
 * @example const agents = new Steploop(stack, 'Agents', { definition: './steploop.config.ts' }); bucket.grantRead(agents.tools);
 */
export class Steploop extends Construct {
  /** The name of this deployment where names must be unique in an account. */
  readonly name: string;
  /** The HTTP API. */
  readonly api: Api;
  /** The WebSocket API. */
  readonly socket: WebSocketApi;
  /** The one table. Its layout may change: read sessions through the APIs. */
  readonly table: ITable;
  /** The bucket for slots and tool results that are too large for an item of the table. */
  readonly blobs: IBucket;
  /** The step queue; the first lane's if there are several. */
  readonly stepQueue: IQueue;
  /** The step queues, one for each lane. */
  readonly stepQueues: readonly IQueue[];
  /** The principal of tools, in the step and from the queue alike: grant it their permissions. */
  readonly tools: IGrantable;
  /** The functions, by name. Functions that the definition does not need are absent. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The topic that alarms notify, if there is one. */
  readonly alarmTopic: ITopic | undefined;
  /** The CloudWatch dashboard, which you can extend: `agents.dashboard?.addWidgets(…)`; undefined with `dashboard: false`. */
  readonly dashboard: Dashboard | undefined;
  /** Values of the outputs, by name. Features that the definition does not use have none. */
  readonly outputs: Readonly<Partial<Record<Output, string>>>;

  private readonly secrets: Secrets;
  private readonly agui: Agui | undefined;
  private readonly aguiAccess: AguiAccess;

  constructor(scope: Construct, id: string, props: SteploopProps) {
    super(scope, id);
    const bundled = Stack.of(this).bundlingRequired;
    const { facts, bundles } = prepare(props.definition, bundled, props.console !== false);
    for (const { code, sentence } of unaskedCalls(facts)) Validations.of(this).addWarning(code, sentence);
    const config = configOf(this, props, facts);
    const full = crowded(config, facts);
    if (full) Validations.of(this).addWarning(full.code, full.sentence);
    mindRoom(this, config);
    const { domain, encryptionKey } = config;
    if (encryptionKey) letLogsUse(this, encryptionKey);

    const table = new SessionTable(this, 'Table', config);
    const blobs = new BlobBucket(this, 'Blobs', config);
    const secrets = new Secrets(this, 'Secrets', config);
    const steps = new StepQueue(this, 'StepQueue', config);
    const ground: Ground = {
      config,
      code: codeOf(bundles, bundled),
      table,
      blobs,
      secrets,
      steps,
      runsOn: places(this, config),
    };

    const toolQueue = facts.queuedTools ? new ToolQueue(this, 'ToolQueue', config) : undefined;
    const deliveries = delivers(facts) ? new Deliveries(this, 'Deliveries', ground) : undefined;
    const socket = new SocketApi(this, 'SocketApi', ground);
    const http = new HttpApi(this, 'HttpApi', { ...ground, socket, deliveries });
    const socketUrl = domain.socket ? `wss://${domain.socket.name}` : socket.url;
    const httpUrl = domain.http ? `https://${domain.http.name}` : http.api.apiEndpoint;
    const { step, deadLetter } = new Steps(this, 'Steps', {
      ...ground,
      httpUrl,
      socket,
      tools: toolQueue,
      deliveries,
    });
    const tool = toolQueue && new Tools(this, 'Tools', { ...ground, tools: toolQueue, httpUrl, socket }).tool;
    const { sweep } = new Sweep(this, 'Sweeper', ground);
    const slack =
      secrets.slack && deliveries && new Slack(this, 'Slack', { ...ground, deliveries, app: secrets.slack });
    if (slack) http.serve(slackRoutes, 'SlackIntegration', slack.app);
    const channels =
      secrets.linkSigning && deliveries && new Channels(this, 'Channels', { ...ground, deliveries, httpUrl });
    if (channels) {
      http.serve(askRoutes, 'AsksIntegration', channels.handler);
      if (facts.channels.length > 0) http.serve(channelRoutes, 'ChannelsIntegration', channels.handler);
    }
    const mail = facts.mailboxes.length > 0 ? new Mail(this, 'Mail', ground) : undefined;
    const agui = facts.agui || facts.chat ? new Agui(this, 'Agui', ground) : undefined;
    const page = config.console
      ? new Console(this, 'Console', { ...ground, settings: config.console, socketUrl })
      : undefined;
    if (page) http.serve(consoleRoutes, 'ConsoleIntegration', page.handler);
    const httpDomain = domain.http && new Domain(this, 'HttpDomain', { ...domain.http, ...http });
    const socketDomain = domain.socket && new Domain(this, 'SocketDomain', { ...domain.socket, ...socket });
    const alarms = this.alarms(config);

    const handlers = {
      step,
      tool,
      'dead-letter': deadLetter,
      sweep,
      deliver: deliveries?.deliver,
      http: http.http,
      hooks: http.hooks,
      slack: slack?.app,
      'slack-jobs': slack?.jobs,
      channels: channels?.handler,
      mail: mail?.handler,
      socket: socket.handler,
      agui: agui?.handler,
      console: page?.handler,
    };
    if (config.tenantKeys && encryptionKey) {
      const keys = new TenantKeys(this, 'TenantKeys', { ...config, encryptionKey });
      const { console: _, ...users } = handlers;
      for (const [name, handler] of Object.entries(users)) if (handler) keys.serve(name, handler);
    }
    const all = Object.values(handlers).filter((handler) => handler !== undefined);
    mindVariables(this, all);
    // They build the addresses of lanes themselves, so the dependency on the queues must be explicit.
    for (const { fn } of all) {
      if (config.lanes.sends > 1) fn.node.addDependency(...steps.lanes);
    }
    this.name = config.name;
    this.api = http.api;
    this.socket = socket.api;
    this.table = table;
    this.blobs = blobs;
    this.stepQueue = steps.queue;
    this.stepQueues = steps.lanes;
    this.secrets = secrets;
    this.agui = agui;
    this.aguiAccess = config.agui.access;
    this.tools = new ToolRoles([step.role, ...(tool ? [tool.role] : [])]);
    this.functions = Object.fromEntries(
      Object.entries(handlers).flatMap(([name, handler]) => (handler ? [[name, handler.fn]] : [])),
    );
    this.alarmTopic = alarms?.topic;
    this.dashboard = config.dashboard
      ? dashboardOf(this, { config, functions: this.functions, step: step.fn, table, http, socket })
      : undefined;
    this.outputs = writeOutputs(this, {
      HttpUrl: httpUrl,
      HttpDomainTarget: httpDomain?.target,
      SocketUrl: socketUrl,
      SocketDomainTarget: socketDomain?.target,
      AguiUrl: facts.agui ? agui?.url('agui') : undefined,
      ChatUrl: facts.chat ? agui?.url('chat') : undefined,
      TableName: table.tableName,
      BlobBucketName: blobs.bucketName,
      StepQueueUrl: steps.queue.queueUrl,
      DeadLetterQueueUrl: steps.deadLetters.queueUrl,
      ToolQueueUrl: toolQueue?.queue.queueUrl,
      DeliveryQueueUrl: deliveries?.queue.queueUrl,
      MailQueueUrl: mail?.queue.queueUrl,
      MailRuleSetName: mail?.ruleSetName,
      AlarmsTopicArn: alarms?.topic?.topicArn,
      DashboardName: this.dashboard?.dashboardName,
      ApiTokenSecretArn: secrets.apiToken.secretArn,
      CallbackSigningSecretArn: secrets.callbackSigning?.secretArn,
      SlackSigningSecretArn: secrets.slack?.signing.secretArn,
      SlackClientSecretArn: secrets.slack?.client.secretArn,
    });
    writeSecretOutputs(this, secrets.declared);
    describeInTemplate(this, {
      definition: props.definition,
      facts,
      outputs: this.outputs,
      functions: this.functions,
      secrets: secrets.declared,
    });
  }

  /** A secret that the definition declares, so that other code can read or rotate it. Throws for an undeclared name. */
  secret(name: string): ISecret {
    const secret = this.secrets.declared[name];
    if (secret) return secret;
    const names = Object.keys(this.secrets.declared).join(', ') || 'none';
    throw new Error(`${this.node.path}: the definition declares no secret ${name}; it has: ${names}`);
  }

  /** Lets an AWS principal call AG-UI and chat. Throws unless `agui.access` is `iam`. */
  grantAgui(grantee: IGrantable): Grant {
    if (!this.agui || this.aguiAccess !== 'iam')
      throw new Error(`${this.node.path}: set agui: { access: 'iam' } to grant the address of AG-UI`);
    return this.agui.grantInvoke(grantee);
  }

  private alarms(config: Config): Alarms | undefined {
    if (config.alarms === false) {
      withoutAlarms(this);
      return undefined;
    }
    const alarms = new Alarms(this, 'Alarms', config);
    alarms.hearAll(this);
    return alarms;
  }
}

/** If the functions are not needed, as for `cdk ls`, they are not bundled. */
function codeOf(bundles: Prepared['bundles'], bundled: boolean): Ground['code'] {
  return (name) => {
    const folder = bundles[name];
    if (folder !== undefined) return Code.fromAsset(folder);
    if (bundled) throw new Error(`the function ${name} was not bundled`);
    return Code.fromInline('// Not bundled: this synthesis asked for none.');
  };
}
