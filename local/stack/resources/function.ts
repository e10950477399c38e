import { arnOf, physicalName } from '../identity.ts';
import { type Compute, managedCompute } from '../lambda/compute.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, nested, optionalNumber, optionalText, requiredText } from '../template/properties.ts';
import { withVariables } from '../template/variables.ts';
import { functionWrong } from './lambda-limits.ts';

/** Lambda's own defaults. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

/**
 * AWS::Lambda::Function with code from an asset of the assembly. Throws if it exceeds a limit of Lambda. MemorySize is passed to the function, not enforced;
 * RecursiveLoop, LoggingConfig, Architectures, TracingConfig, Layers and the scaling of managed environments are accepted and
 * ignored.
 */
export function createFunction(item: Declared, site: Site): Created {
  const runtime = optionalText(item, 'Runtime') ?? '';
  if (!runtime.startsWith('nodejs'))
    throw new Error(`${item.id}: only Node.js functions run here, not ${runtime || 'images'}`);
  const name = optionalText(item, 'FunctionName') ?? physicalName(site.stackName, item.id, 64);
  const arn = arnOf('lambda', `function:${name}`);
  const memoryMb = optionalNumber(item, 'MemorySize') ?? DEFAULT_MEMORY_MB;
  const timeoutSeconds = optionalNumber(item, 'Timeout') ?? DEFAULT_TIMEOUT_SECONDS;
  const declared = variablesOf(item);
  const variables = withVariables(declared, site.variables);
  const compute = computeOf(item, memoryMb, variables.AWS_LAMBDA_NODEJS_WORKER_COUNT);
  const isManaged = compute.kind === 'managed';
  const wrong = functionWrong({ timeoutSeconds, memoryMb, variables: declared, isManaged });
  if (wrong) throw new Error(`${item.id}: ${wrong}`);
  const settings = {
    id: item.id,
    name,
    arn,
    directory: site.assetDirectory(requiredText(nested(item, 'Code'), 'S3Key')),
    handler: requiredText(item, 'Handler'),
    timeoutMs: timeoutSeconds * 1000,
    memoryMb,
    variables,
    accessKey: accessKeyOf(item, name, site),
    compute,
    reserved: optionalNumber(item, 'ReservedConcurrentExecutions'),
  };
  if (item.properties.VpcConfig !== undefined)
    site.notice(`${item.id} is not in a VPC here: it can reach whatever this machine can reach`);
  site.functions.set(
    item.id,
    site.runtime(settings, site.facing, site.observer(item.id, name), site.callers),
  );
  return { ref: name, attributes: { Arn: arn } };
}

/** Invocations share an environment if the function is on a capacity provider. */
function computeOf(item: Declared, memoryMb: number, workers: string | undefined): Compute {
  const config = nested(
    nested(item, 'CapacityProviderConfig'),
    'LambdaManagedInstancesCapacityProviderConfig',
  );
  if (optionalText(config, 'CapacityProviderArn') === undefined) return { kind: 'lambda' };
  return managedCompute({
    memoryMb,
    concurrency: optionalNumber(config, 'PerExecutionEnvironmentMaxConcurrency'),
    memoryGiBPerVcpu: optionalNumber(config, 'ExecutionEnvironmentMemoryGiBPerVCpu'),
    workers: workers === undefined ? undefined : Number(workers),
  });
}

/** A function acts in its role, if this stack knows the role; CDK gives each function one. */
function accessKeyOf(item: Declared, name: string, site: Site): string {
  const role = optionalText(item, 'Role');
  if (role === undefined) return 'local';
  const roleName = role.slice(role.lastIndexOf('/') + 1);
  if (site.access.knows(roleName)) return site.access.keyFor(name, roleName);
  site.notice(`${item.id} has a role of another stack, ${roleName}: its permissions are not checked here`);
  return 'local';
}

/** AWS::Lambda::Version: here it is the function itself, so its ARN is another name of the function. */
export function createVersion(item: Declared, site: Site): Created {
  const { arn } = functionAt(site, requiredText(item, 'FunctionName')).settings;
  return { ref: `${arn}:1`, attributes: { Version: '1', FunctionArn: `${arn}:1` } };
}

/** AWS::Lambda::Alias: another name of the function, too. Weights between versions are not emulated. */
export function createAlias(item: Declared, site: Site): Created {
  if (item.properties.RoutingConfig !== undefined)
    throw new Error(`${item.id}: RoutingConfig is not supported`);
  const { arn } = functionAt(site, requiredText(item, 'FunctionName')).settings;
  const aliasArn = `${arn}:${requiredText(item, 'Name')}`;
  return { ref: aliasArn, attributes: { AliasArn: aliasArn } };
}

function variablesOf(item: Declared): Record<string, string> {
  const variables = nested(nested(item, 'Environment'), 'Variables').properties;
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
