import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Kinds of resources that ask models which their ARN does not name. */
const HIDES_ITS_MODEL = /^(?:application-inference-profile|(?:default-)?prompt-router)$/;

/**
 * The ARNs that asking a model needs: the model's, or those of an inference profile and its model. A profile across regions
 * asks the models of each, so the region is open (docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html).
 *
 * @param name as an agent writes it: the id of a model or a profile, or an ARN; `*` at its end stands for any end
 */
export function bedrockArns(scope: IConstruct, name: string): string[] {
  const { account } = Stack.of(scope);
  const model = (id: string) => arnOf(scope, '', `foundation-model/${id}`);
  // The id of a profile is that of its model after a region: `eu.anthropic.claude-…`.
  const modelsBehind = (id: string) => (/^[a-z-]+\.(.+\..+)$/.exec(id)?.slice(1) ?? []).map(model);
  const [, kind, id = ''] = /^arn:[^:]+:bedrock:[^:]*:[^:]*:([a-z-]+)\/(.+)$/.exec(name) ?? [];
  if (kind === undefined)
    return [model(name), arnOf(scope, account, `inference-profile/${name}`), ...modelsBehind(name)];
  if (HIDES_ITS_MODEL.test(kind)) return [name, model('*')];
  return [name, ...(kind === 'inference-profile' ? modelsBehind(id) : [])];
}

const arnOf = (scope: IConstruct, account: string, path: string): string => {
  const [resource = '', ...rest] = path.split('/');
  return Stack.of(scope).formatArn({
    ...{ service: 'bedrock', region: '*', account, resource },
    resourceName: rest.join('/'),
  });
};
