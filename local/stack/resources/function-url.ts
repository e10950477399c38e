import { startFunctionUrl } from '../gateway/function-url.ts';
import { stableId } from '../identity.ts';
import { LOOPBACK } from '../listen.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, optionalText, requiredText } from '../template/properties.ts';
import { corsOf } from './cors.ts';

/**
 * AWS::Lambda::Url, only with streaming and without authorization. IAM authorization is refused, because ignoring it would open a
 * URL that AWS protects. Buffered URLs are refused because no template here has one.
 */
export async function createFunctionUrl(item: Declared, site: Site): Promise<Created> {
  const authorization = requiredText(item, 'AuthType');
  if (authorization !== 'NONE')
    throw new Error(`${item.id}: authorization ${authorization} is not supported`);
  const mode = optionalText(item, 'InvokeMode') ?? 'BUFFERED';
  if (mode !== 'RESPONSE_STREAM') throw new Error(`${item.id}: invoke mode ${mode} is not supported`);
  const target = functionAt(site, requiredText(item, 'TargetFunctionArn'));
  const id = stableId(site.stackName, item.id);
  const url = await startFunctionUrl({
    id,
    port: site.portFor('url', id),
    target,
    cors: corsOf(item, 'Cors'),
  });
  site.urls.push(url);
  const { arn } = target.settings;
  return {
    ref: arn,
    attributes: { FunctionArn: arn, FunctionUrl: `http://${LOOPBACK}:${url.port}/` },
  };
}
