import { isObject, type Json, stringAt } from './json.ts';

/**
 * The error in a body or an event that came with status 200, as `{ error: { … } }`; undefined if it has none. Gateways
 * put it at `error`, as an object or a text; vLLM once wrote `"object": "error"`, MiniMax writes `base_resp`.
 */
export function errorIn(body: Json): Json | undefined {
  const { error, object, base_resp: base } = body;
  if (isObject(error)) return Object.keys(error).length > 0 ? body : undefined;
  const said = stringAt(body, 'error');
  if (said !== undefined) return { ...body, error: { message: said } };
  if (object === 'error') return { error: body };
  if (!isObject(base) || typeof base.status_code !== 'number' || base.status_code === 0) return undefined;
  return { error: { code: base.status_code, message: base.status_msg } };
}

/** The same for a whole body that is no reply: any words in it say why. */
export function errorInWhole(body: Json): Json | undefined {
  const found = errorIn(body);
  if (found) return found;
  const message = stringAt(body, 'message') ?? stringAt(body, 'msg') ?? stringAt(body, 'detail');
  return message === undefined ? undefined : { error: { code: body.code, message } };
}
