import type { Created, Site } from '../site.ts';
import type { Declared } from '../template/properties.ts';
import type { Template, TemplateResource } from '../template/types.ts';
import { ACCEPTED } from './accepted.ts';
import { createApi, createIntegration, createRoute, createRouteResponse, createStage } from './api.ts';
import { createBucket } from './bucket.ts';
import { createEventSource } from './event-source.ts';
import { createAlias, createFunction, createVersion } from './function.ts';
import { createFunctionUrl } from './function-url.ts';
import { NETWORK } from './network.ts';
import { createQueue } from './queue.ts';
import { createManagedPolicy, createPolicy, createRole } from './role.ts';
import { createRule, createSchedule } from './schedule.ts';
import { createSecret } from './secret.ts';
import { createTable } from './table.ts';

type Create = (item: Declared, site: Site) => Created | Promise<Created>;

const EMULATED: Record<string, Create> = {
  'AWS::IAM::Role': createRole,
  'AWS::IAM::Policy': createPolicy,
  'AWS::IAM::ManagedPolicy': createManagedPolicy,
  'AWS::DynamoDB::Table': createTable,
  'AWS::DynamoDB::GlobalTable': createTable,
  'AWS::SQS::Queue': createQueue,
  'AWS::S3::Bucket': createBucket,
  'AWS::SecretsManager::Secret': createSecret,
  'AWS::Lambda::Function': createFunction,
  'AWS::Lambda::Version': createVersion,
  'AWS::Lambda::Alias': createAlias,
  'AWS::Lambda::Url': createFunctionUrl,
  'AWS::Lambda::EventSourceMapping': createEventSource,
  'AWS::ApiGatewayV2::Api': createApi,
  'AWS::ApiGatewayV2::Stage': createStage,
  'AWS::ApiGatewayV2::Integration': createIntegration,
  'AWS::ApiGatewayV2::Route': createRoute,
  'AWS::ApiGatewayV2::RouteResponse': createRouteResponse,
  'AWS::Events::Rule': createRule,
  'AWS::Scheduler::Schedule': createSchedule,
};

/** Types that are not even created, because no reference to them exists. */
const SKIPPED = new Set(['AWS::CDK::Metadata']);

/** Creates one resource. Throws what its type's function throws. */
export async function createResource(item: Declared, site: Site): Promise<Created> {
  const create = EMULATED[item.type] ?? ACCEPTED[item.type] ?? NETWORK[item.type];
  if (!create) throw new Error(`${item.type} is not supported`);
  return create(item, site);
}

/**
 * The resources that the embedded stack creates. Before anything starts, throws one Error that lists every unsupported resource
 * with its logical id, type and CDK path.
 */
export function supportedResources(template: Template): Record<string, TemplateResource> {
  const kept = Object.entries(template.Resources).filter(([, { Type }]) => !SKIPPED.has(Type));
  const problems = kept.flatMap(([id, resource]) => {
    const at = resource.Metadata?.['aws:cdk:path'];
    const where = `${id} (${resource.Type}${typeof at === 'string' ? `, ${at}` : ''})`;
    return resource.Type in EMULATED || resource.Type in ACCEPTED || resource.Type in NETWORK
      ? []
      : [`${where}: this type is not emulated`];
  });
  if (problems.length > 0)
    throw new Error(`the embedded stack cannot run this template:\n  ${problems.join('\n  ')}`);
  return Object.fromEntries(kept);
}
