import * as z from 'zod';

/** A tool that the model's server declares, in the server's format. Fields that are not named here are sent as they are. */
export const ServerTool = z.looseObject({
  /** The server's name for the kind of tool, with its version: `web_search_20260209`. Other fields are sent as they are. */
  type: z.string().min(1).max(128),
  /** Its name for the model. A set of tools (`mcp_toolset`) has none. */
  name: z.string().min(1).max(128).optional(),
});
export type ServerTool = Readonly<z.output<typeof ServerTool>>;

/**
 * Whether the agent runs the calls of a tool although the server declares it. The model was trained on these tools, and each
 * needs a tool of the agent with the same name, which runs them (platform.claude.com/docs/en/agents-and-tools/tool-use/overview,
 * "Client tools").
 */
export const isRunByAgent = ({ type }: ServerTool): boolean =>
  /^(?:bash|text_editor|computer|memory)_\d{8}$/.test(type);
