import * as z from 'zod';

/**
 * If an agent has more tools than a model handles, the model is sent two tools that search for the others and call them, and the
 * tools that it always needs (docs/tools.md, "Tool search"). Decided when a session begins, and kept for all of it. `false`: all
 * tools are sent.
 */
export const ToolSearch = z
  .strictObject({
    /**
     * Up to this many tools, all are sent; with more, the session searches. Anthropic's documentation says that a model's ability
     * to choose the right tool degrades beyond 30 to 50 (platform.claude.com, "Tool search tool"). Servers that speak OpenAI's
     * API refuse more than 128.
     */
    aboveTools: z.int().min(0).max(2_000).default(50),
    /**
     * Up to this many estimated tokens of definitions (a quarter of their characters), all tools are sent. 25,000 are 50 tools of
     * 500, the size of a tool of an ordinary MCP server.
     */
    aboveTokens: z.int().min(0).max(1_000_000).default(25_000),
    /** Tools that are always sent, by the names that the model calls (`<source>__<name>`). */
    always: z.array(z.string().min(1).max(200)).max(100).default([]),
  })
  .or(z.literal(false));
export type ToolSearch = z.output<typeof ToolSearch>;
