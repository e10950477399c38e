import type { Client } from '@modelcontextprotocol/client';
import type { ToolContext, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { NEVER_MS, throwFor, withServer } from './connection.ts';
import { fieldsOf, readingResults, textIn } from './loose.ts';
import { type McpServerOptions, READ_RESOURCE, USUAL_SECONDS } from './options.ts';
import { readEmbedded } from './read-result.ts';
import { shownOf } from './results.ts';

/** Most characters for listing the resources. */
const MAX_LISTED = 2_000;

/**
 * The tool that reads resources, if the server has any: those that its results link to, and those that it lists. Its
 * words are the server's, shortened and plain.
 */
export async function readingTool(
  client: Client,
  { name, timeoutSeconds = USUAL_SECONDS }: McpServerOptions,
  signal: AbortSignal,
): Promise<ToolDeclaration[]> {
  if (!client.getServerCapabilities()?.resources) return [];
  readingResults(client, ({ resources, resourceTemplates, ...result }) => ({
    ...result,
    ...(Array.isArray(resources) && { resources: entriesIn(resources, 'uri') }),
    ...(Array.isArray(resourceTemplates) && {
      resourceTemplates: entriesIn(resourceTemplates, 'uriTemplate'),
    }),
  }));
  // A server may have resources that it does not list.
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(undefined, { signal }).catch(() => ({ resources: [] })),
    client.listResourceTemplates(undefined, { signal }).catch(() => ({ resourceTemplates: [] })),
  ]);
  const listed = [
    ...resources.map(({ uri, name: called }) => `${uri} (${called})`),
    ...resourceTemplates.map(({ uriTemplate, name: called }) => `${uriTemplate} (${called})`),
  ].join('; ');
  const more = listed === '' ? '' : ` It lists these: ${plainText(listed, MAX_LISTED)}`;
  return [
    {
      name: READ_RESOURCE,
      description: `Reads a resource of the MCP server "${name}" by its URI: what its results name, for one.${more}`,
      input: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
      effect: 'read',
      timeoutSeconds,
    },
  ];
}

/** Reads a resource like the result of a call: with its images, and within the limits of a call. */
export async function readResource(
  options: McpServerOptions,
  input: unknown,
  context: ToolContext<string, string>,
): Promise<unknown> {
  const { uri } = input as { readonly uri: string };
  const making = { fresh: false, capabilities: {} };
  const { contents } = await withServer(options, context, making, ({ client, signal }) => {
    readingResults(client, ({ contents: held, ...result }) => ({ ...result, contents: contentsIn(held) }));
    return client.readResource({ uri }, { signal, timeout: NEVER_MS });
  }).catch((error) => throwFor(READ_RESOURCE, error));
  return shownOf({ content: contents.map((resource) => ({ type: 'resource', resource })) });
}

/** The entries that have an address: one without loses only itself, and a field of a wrong type counts as absent. */
const entriesIn = (listed: readonly unknown[], key: 'uri' | 'uriTemplate') =>
  listed.flatMap((entry) => {
    const { [key]: uri, name } = fieldsOf(entry);
    return typeof uri === 'string' ? [{ [key]: uri, name: textIn(name) ?? uri }] : [];
  });

const contentsIn = (held: unknown) =>
  (Array.isArray(held) ? held : [held]).flatMap((one) => readEmbedded(fieldsOf(one))?.resource ?? []);
