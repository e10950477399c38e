/** The connection that an event is about. */
export interface ConnectionFacts {
  connectionId: string;
  apiId: string;
  stage: string;
  domainName: string;
  /** Milliseconds since 1970. */
  connectedAt: number;
  sourceIp: string;
  userAgent: string;
}

/** An event on a connection. `requestId` is API Gateway's, not Lambda's. */
export type SocketHappening =
  | { kind: 'connect'; requestId: string; rawHeaders: string[]; search: string }
  | { kind: 'message'; requestId: string; messageId: string; routeKey: string; data: Buffer; binary: boolean }
  | { kind: 'disconnect'; requestId: string; code: number; reason: string };

/** The event of a WebSocket API's Lambda proxy integration. */
export function toSocketEvent(facts: ConnectionFacts, happening: SocketHappening, now = Date.now()): object {
  const context = {
    routeKey: routeKeyOf(happening),
    eventType: happening.kind.toUpperCase(),
    extendedRequestId: happening.requestId,
    requestId: happening.requestId,
    requestTimeEpoch: now,
    messageDirection: 'IN',
    stage: facts.stage,
    connectedAt: facts.connectedAt,
    identity: { sourceIp: facts.sourceIp, userAgent: facts.userAgent },
    domainName: facts.domainName,
    connectionId: facts.connectionId,
    apiId: facts.apiId,
  };
  switch (happening.kind) {
    case 'connect':
      return {
        ...handshake(happening.rawHeaders, happening.search),
        requestContext: context,
        isBase64Encoded: false,
      };
    case 'message':
      return {
        requestContext: { ...context, messageId: happening.messageId },
        body: happening.data.toString(happening.binary ? 'base64' : 'utf8'),
        isBase64Encoded: happening.binary,
      };
    case 'disconnect':
      return {
        requestContext: {
          ...context,
          disconnectStatusCode: happening.code,
          disconnectReason: happening.reason,
        },
        isBase64Encoded: false,
      };
  }
}

/**
 * The route that a message selects: the value of `$request.body.<path>`, when it names a declared route; else
 * `$default`. Undefined when neither exists.
 */
export function selectRoute(
  expression: string,
  data: Buffer,
  declared: (key: string) => boolean,
): string | undefined {
  const path = /^\$request\.body\.([\w.]+)$/.exec(expression)?.[1]?.split('.') ?? [];
  const chosen = path.length === 0 ? undefined : path.reduce<unknown>(childOf, parsed(data));
  if (typeof chosen === 'string' && declared(chosen)) return chosen;
  return declared('$default') ? '$default' : undefined;
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

function routeKeyOf(happening: SocketHappening): string {
  return happening.kind === 'message' ? happening.routeKey : `$${happening.kind}`;
}

/** Header names as the client wrote them, and the query, each also with all values. */
function handshake(rawHeaders: string[], search: string): object {
  const headers = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
  const query = [...new URLSearchParams(search)];
  return {
    headers: Object.fromEntries(headers),
    multiValueHeaders: allValues(headers),
    ...(query.length === 0
      ? {}
      : {
          queryStringParameters: Object.fromEntries(query),
          multiValueQueryStringParameters: allValues(query),
        }),
  };
}

function allValues(pairs: [string, string][]): Record<string, string[]> {
  // A Map, because a name may be `constructor` or `__proto__`.
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return Object.fromEntries(all);
}
