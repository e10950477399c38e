import type { Effect, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { type McpServerOptions, READ_RESOURCE, USUAL_SECONDS } from './options.ts';
import { type ListedTool, readTool } from './read-tool.ts';

/**
 * Most characters of a tool's description, and of each one in its schema. The model reads a server's words with every
 * request.
 */
const MAX_DESCRIPTION = 2_000;
const MAX_INNER = 500;

/**
 * A server's list as tools of a session. Names, words and schemas are data from outside: the core normalizes each
 * schema, and leaves out unusable tools; here the words are shortened, stripped of invisible characters, and attributed
 * to the server. Pure.
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
        ...defined({ effect }),
        ...(queue.includes(tool.name) && { where: 'queue' as const }),
      };
    });
}

function wordsOf({ name, title, description }: ListedTool): string {
  const said = [title, description].filter(Boolean).join(': ');
  return plainText(said || name, MAX_DESCRIPTION);
}

/** Undefined means `once`: a tool whose effect is not declared never starts twice, and needs approval. */
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

/** Levels of a schema whose words are checked. The core cuts deeper ones. */
const MAX_LEVELS = 100;

/** A schema with shortened, plain titles and descriptions. The parts that validate calls stay as they are. */
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
