/** The resources of AWS::ApiGatewayV2. */

import { type HttpApi, startHttpApi } from '../gateway/http-api.ts';
import { type SocketApi, startSocketApi } from '../gateway/socket-api.ts';
import { REGION, stableId } from '../identity.ts';
import { LOOPBACK } from '../listen.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, optionalText, requiredText } from '../template/properties.ts';
import { corsOf } from './cors.ts';

/** ::Api. Listens at once, so that resources can refer to its endpoint; answers once the stack is ready. */
export async function createApi(item: Declared, site: Site): Promise<Created> {
  const id = stableId(site.stackName, item.id);
  const protocol = requiredText(item, 'ProtocolType');
  if (protocol === 'HTTP') {
    const api = await startHttpApi(id, site.portFor('http', id), corsOf(item, 'CorsConfiguration'));
    site.apis.set(id, api);
    return { ref: id, attributes: { ApiId: id, ApiEndpoint: `http://${LOOPBACK}:${api.port}` } };
  }
  const routeSelection = optionalText(item, 'RouteSelectionExpression') ?? '$request.body.action';
  const { wire, access } = site;
  const api = await startSocketApi({ id, port: site.portFor('socket', id), routeSelection, wire, access });
  site.apis.set(id, api);
  return { ref: id, attributes: { ApiId: id, ApiEndpoint: `ws://${LOOPBACK}:${api.port}` } };
}

/** ::Stage. A WebSocket API answers under its stages' names; an HTTP API must have `$default`, which has no prefix. */
export function createStage(item: Declared, site: Site): Created {
  const name = requiredText(item, 'StageName');
  const api = apiOf(item, site);
  if (api.kind === 'socket') api.stages.add(name);
  else if (name !== '$default')
    throw new Error(`${item.id}: an HTTP API's stage must be $default here, not ${name}`);
  return { ref: name, attributes: {} };
}

/** ::Integration. Lambda proxies only. */
export function createIntegration(item: Declared, site: Site): Created {
  const id = stableId(site.stackName, item.id);
  const type = requiredText(item, 'IntegrationType');
  if (type !== 'AWS_PROXY')
    throw new Error(`${item.id}: integration type ${type} is not supported, only AWS_PROXY`);
  if (apiOf(item, site).kind === 'http' && optionalText(item, 'PayloadFormatVersion') !== '2.0') {
    throw new Error(`${item.id}: only PayloadFormatVersion 2.0 is supported`);
  }
  site.integrations.set(id, functionAt(site, requiredText(item, 'IntegrationUri')));
  return { ref: id, attributes: {} };
}

/** ::Route. Authorizers are refused, because ignoring them would open routes that AWS protects. */
export function createRoute(item: Declared, site: Site): Created {
  const key = requiredText(item, 'RouteKey');
  const authorization = optionalText(item, 'AuthorizationType') ?? 'NONE';
  if (authorization !== 'NONE')
    throw new Error(`${item.id}: route authorization ${authorization} is not supported`);
  const target = site.integrations.get((optionalText(item, 'Target') ?? '').replace('integrations/', ''));
  if (!target) throw new Error(`${item.id}: route ${key} has no integration`);
  const api = apiOf(item, site);
  const id = stableId(site.stackName, item.id);
  if (api.kind === 'http') {
    api.routes.push({ key, target });
  } else {
    const route = { target, answers: false };
    api.routes.set(key, route);
    site.socketRoutes.set(id, route);
  }
  return { ref: id, attributes: {} };
}

/** ::RouteResponse. The function's body goes back over the socket that sent the message. */
export function createRouteResponse(item: Declared, site: Site): Created {
  const route = site.socketRoutes.get(requiredText(item, 'RouteId'));
  if (!route) throw new Error(`${item.id}: its route is not one of a WebSocket API of this stack`);
  route.answers = true;
  return { ref: stableId(site.stackName, item.id), attributes: {} };
}

/** Replaces public host names, which a template builds by hand or gives its APIs, by local ones. */
export function localise(site: Site, text: string): string {
  let local = text;
  for (const api of site.apis.values()) {
    const host = `${api.id}.execute-api.${REGION}.amazonaws.com`;
    local = local
      .replaceAll(`https://${host}`, `http://${LOOPBACK}:${api.port}`)
      .replaceAll(`wss://${host}`, `ws://${LOOPBACK}:${api.port}`);
  }
  for (const [name, { api, stage }] of site.domains) {
    const path = api.kind === 'socket' ? `/${stage}` : '';
    // Not a longer name with this prefix.
    const host = `${name.replaceAll('.', '\\.')}(?![\\w.-])`;
    local = local
      .replaceAll(new RegExp(`https://${host}`, 'g'), `http://${LOOPBACK}:${api.port}`)
      .replaceAll(new RegExp(`wss://${host}`, 'g'), `ws://${LOOPBACK}:${api.port}${path}`);
  }
  return local;
}

function apiOf(item: Declared, site: Site): HttpApi | SocketApi {
  const api = site.apis.get(requiredText(item, 'ApiId'));
  if (!api) throw new Error(`${item.id}: its API is not part of this stack`);
  return api;
}
