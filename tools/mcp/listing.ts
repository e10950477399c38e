import type { Effect, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { type McpServerOptions, READ_RESOURCE, USUAL_SECONDS } from './options.ts';
import { plainText } from './plain-text.ts';
import { type ListedTool, readTool } from './read-tool.ts';

/** Characters of a tool's description, and of each one in its schema. A server's words are read with every request. */
const MAX_DESCRIPTION = 2_000;
const MAX_INNER = 500;

/**
 * The list of a server, as tools of a session. Its names, words and schemas are data from outside: the core brings each schema into form, and leaves
 * out what it cannot use; here the words are bounded, rid of what nobody sees, and told as the server's. Pure.
 *
 * @param tools as they came: a field of a wrong type counts as absent
 */
export function declarationsOf(
  tools: readonly unknown[],
  options: McpServerOptions,
): readonly ToolDeclaration[] {
  const { name, allow, deny = [], queue = [], timeoutSeconds = USUAL_SECONDS } = options;
  const left = options.resources ? [...deny, READ_RESOURCE] : deny;
  return tools
    .map(readTool)
    .filter((tool) => (allow?.includes(tool.name) ?? true) && !left.includes(tool.name) && !tool.needsTask)
    .map((tool) => {
      const effect = effectOf(tool, options);
      return {
        name: tool.name,
        description: `A tool of the MCP server "${name}", which describes it so: ${wordsOf(tool)}`,
        input: withPlainWords(tool.inputSchema) as ToolDeclaration['input'],
        timeoutSeconds,
        ...(effect && { effect }),
        ...(queue.includes(tool.name) && { where: 'queue' as const }),
      };
    });
}

function wordsOf({ name, title, description }: ListedTool): string {
  const said = [title, description].filter(Boolean).join(': ');
  return plainText(said || name, MAX_DESCRIPTION);
}

/** Undefined is `once`: what nobody vouches for never starts twice, and is asked for. */
function effectOf(
  tool: ListedTool,
  { effects = {}, trustAnnotations = false }: McpServerOptions,
): Effect | undefined {
  const said =
    typeof effects === 'function'
      ? effects(tool)
      : Object.hasOwn(effects, tool.name)
        ? effects[tool.name]
        : undefined;
  if (said || !trustAnnotations) return said;
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  if (readOnlyHint) return 'read';
  return idempotentHint ? 'idempotent' : undefined;
}

/** Levels of a schema whose words are looked at. The core cuts what is deeper. */
const MAX_LEVELS = 100;

/** A schema whose titles and descriptions are bounded and plain. What calls are checked by stays as it is. */
function withPlainWords(schema: unknown, level = 0): unknown {
  if (level > MAX_LEVELS) return {};
  if (Array.isArray(schema)) return schema.map((inner) => withPlainWords(inner, level + 1));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      (key === 'description' || key === 'title') && typeof value === 'string'
        ? [key, plainText(value, MAX_INNER)]
        : [key, withPlainWords(value, level + 1)],
    ),
  );
}
