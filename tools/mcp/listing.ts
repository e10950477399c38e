import type { Tool } from '@modelcontextprotocol/client';
import type { Effect, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { type McpServerOptions, READ_RESOURCE, USUAL_SECONDS } from './options.ts';
import { plainText } from './plain-text.ts';

/** Characters of a tool's description, and of each one in its schema. A server's words are read with every request. */
const MAX_DESCRIPTION = 2_000;
const MAX_INNER = 500;

/**
 * What a server lists, as tools of a session. Its names, words and schemas are data from outside: the core checks them as of any
 * source; here the words are bounded, rid of what nobody sees, and told as the server's. Pure.
 */
export function declarationsOf(
  tools: readonly Tool[],
  options: McpServerOptions,
): readonly ToolDeclaration[] {
  const { name, allow, deny = [], queue = [], timeoutSeconds = USUAL_SECONDS } = options;
  const left = options.resources ? [...deny, READ_RESOURCE] : deny;
  return tools
    .filter((tool) => (allow?.includes(tool.name) ?? true) && !left.includes(tool.name) && !needsTask(tool))
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

/** Some tools can only be called as tasks of the older protocol, which its successor has no more. */
const needsTask = ({ execution }: Tool): boolean => execution?.taskSupport === 'required';

function wordsOf({ name, title, annotations, description }: Tool): string {
  const said = [title ?? annotations?.title, description].filter(Boolean).join(': ');
  return plainText(said || name, MAX_DESCRIPTION);
}

/** Undefined is `once`: what nobody vouches for never starts twice, and is asked for. */
function effectOf(
  tool: Tool,
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

/** A schema whose titles and descriptions are bounded and plain. What calls are checked by stays as it is. */
function withPlainWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlainWords);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      (key === 'description' || key === 'title') && typeof value === 'string'
        ? [key, plainText(value, MAX_INNER)]
        : [key, withPlainWords(value)],
    ),
  );
}
