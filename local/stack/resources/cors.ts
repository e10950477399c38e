import type { CorsSettings } from '../gateway/cors.ts';
import { type Declared, flag, nested, optionalNumber, texts } from '../template/properties.ts';

/** The CORS settings of an HTTP API or a function URL, whose properties have the same names. */
export function corsOf(item: Declared, property: string): CorsSettings | undefined {
  if (item.properties[property] === undefined) return undefined;
  const cors = nested(item, property);
  return {
    allowOrigins: texts(cors, 'AllowOrigins'),
    allowMethods: texts(cors, 'AllowMethods'),
    allowHeaders: texts(cors, 'AllowHeaders'),
    exposeHeaders: texts(cors, 'ExposeHeaders'),
    allowCredentials: flag(cors, 'AllowCredentials', false),
    maxAge: optionalNumber(cors, 'MaxAge'),
  };
}
