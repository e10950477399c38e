import type { Protocol, ProviderDefinition, ProviderKit } from '../agent/define/provider.ts';
import { memoize } from '../agent/plain/memoize.ts';
import { freezeDeep } from '../agent/plain/merge.ts';
import type { Message, Provider } from '../agent/ports/provider.ts';
import { modelFetch, RedirectFault } from './common/fetch.ts';
import { callIds, callName } from './common/ids.ts';
import { authHeaders, type ServerOptions, streamingProvider } from './common/provider.ts';
import { usedOf } from './common/usage.ts';

const kit: ProviderKit = { callIds, callName, usedOf };

/**
 * A provider that the project brings, at one server. It fulfils the same contract as the built-in ones. Its code is
 * untested here, so anything it throws outside of that contract ends the call, not the step.
 */
export async function broughtProvider(
  name: string,
  { protocol, idleMs }: ProviderDefinition,
  server: ServerOptions,
): Promise<Provider> {
  const { auth } = server;
  const headers = (key: string) =>
    Object.fromEntries(
      Object.entries(authHeaders(auth, key)).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      ),
    );
  const baseUrl = server.baseUrl.replace(/\/+$/, '');
  const own = protocol({ baseUrl, auth, headers, fetch: modelFetch }, kit);
  const inner = streamingProvider(atHome(own, baseUrl), {
    ...server,
    idleMs: server.idleMs ?? idleMs,
  });
  return {
    // Other requests share these message objects: whatever this one wrote into them, all of them would send.
    complete: (request, onDelta, signal) =>
      inner
        .complete({ ...request, messages: request.messages.map(frozen) }, onDelta, signal)
        .catch((error: unknown) => {
          const what = error instanceof Error ? error.name : typeof error;
          const message = `The provider ${name} threw (${what}).`;
          return { kind: 'failed', failure: { kind: 'fatal', code: 'provider_threw', message } };
        }),
  };
}

/**
 * The protocol, limited to answers of its own server. A protocol that uses a `fetch` of its own may have followed a
 * redirect elsewhere; this at least detects that.
 */
function atHome(own: Protocol, baseUrl: string): Protocol {
  return {
    async send(request, key, signal) {
      const response = await own.send(request, key, signal);
      const from = response.redirected ? URL.parse(response.url)?.origin : undefined;
      if (from === undefined || from === URL.parse(baseUrl)?.origin) return response;
      await response.body?.cancel();
      throw new RedirectFault(from);
    },
    events: (response, alive) => own.events(response, alive),
    assemble: (request) => own.assemble(request),
    errors: own.errors,
    lingerMs: own.lingerMs,
  };
}

const frozen = memoize((message: Message) => freezeDeep(message));
