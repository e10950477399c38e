import { arnOf, physicalName } from '../identity.ts';
import { createFunction as startFunction } from '../lambda/function.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, nested, optionalNumber, optionalText, requiredText } from '../template/properties.ts';
import { withVariables } from '../template/variables.ts';

/** Lambda's own defaults. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

/**
 * AWS::Lambda::Function with code from an asset of the assembly. MemorySize is told to the function, not enforced;
 * RecursiveLoop, LoggingConfig, Architectures, TracingConfig and Layers are accepted and ignored.
 */
export function createFunction(item: Declared, site: Site): Created {
  const runtime = optionalText(item, 'Runtime') ?? '';
  if (!runtime.startsWith('nodejs'))
    throw new Error(`${item.id}: only Node.js functions run here, not ${runtime || 'images'}`);
  const name = optionalText(item, 'FunctionName') ?? physicalName(site.stackName, item.id, 64);
  const arn = arnOf('lambda', `function:${name}`);
  const settings = {
    id: item.id,
    name,
    arn,
    directory: site.assetDirectory(requiredText(nested(item, 'Code'), 'S3Key')),
    handler: requiredText(item, 'Handler'),
    timeoutMs: (optionalNumber(item, 'Timeout') ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    memoryMb: optionalNumber(item, 'MemorySize') ?? DEFAULT_MEMORY_MB,
    variables: withVariables(variablesOf(item), site.variables),
    accessKey: accessKeyOf(item, name, site),
    reserved: optionalNumber(item, 'ReservedConcurrentExecutions'),
  };
  if (item.properties.VpcConfig !== undefined)
    site.notice(`${item.id} is in no VPC here: it reaches what this machine reaches`);
  site.functions.set(item.id, startFunction(settings, site.facing, site.observer(item.id, name)));
  return { ref: name, attributes: { Arn: arn } };
}

/** A function acts in its role, as far as this stack knows that; CDK gives each one. */
function accessKeyOf(item: Declared, name: string, site: Site): string {
  const role = optionalText(item, 'Role');
  if (role === undefined) return 'local';
  const roleName = role.slice(role.lastIndexOf('/') + 1);
  if (site.access.knows(roleName)) return site.access.keyFor(name, roleName);
  site.notice(`${item.id} has a role of another stack, ${roleName}: what it may do is not checked here`);
  return 'local';
}

function variablesOf(item: Declared): Record<string, string> {
  const variables = nested(nested(item, 'Environment'), 'Variables').properties;
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
