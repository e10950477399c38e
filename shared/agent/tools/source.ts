import type * as z from 'zod';
import type { Effect } from '../config/effects.ts';
import type { SourceServices } from './services.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A JSON Schema (draft 2020-12) of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Makes a reader of a call's input from a JSON Schema. Throws if the schema is not valid, or refers to something outside of it.
 */
export type ReaderOf = (schema: JsonSchema) => z.ZodType;

/** A tool as a source lists it: the declaration of a code tool, as data. */
export interface ToolDeclaration {
  /** Unique in its source. The model calls it `<source>__<name>`, with `_` for characters that such names may not have. */
  readonly name: string;
  /** The description by which the model decides. */
  readonly description: string;
  /** The schema of an object. Zod becomes JSON Schema: only that is stored. */
  readonly input: JsonSchema | z.ZodType;
  /** `once` when absent: the effect of a second start is unknown, and people are asked first (docs/tools.md). */
  readonly effect?: Effect;
  /** `inline` when absent. `queue` needs {@link ToolSource.queue}. */
  readonly where?: 'inline' | 'queue';
  /** By the agent's `approvals.effects` when absent. */
  readonly approval?: 'always' | 'never';
  /** Longest run in seconds, at most 840; the agent's `limits.toolTimeoutSeconds` when absent. */
  readonly timeoutSeconds?: number;
}

/** A tool as a session stores it. */
export interface ListedTool extends ToolDeclaration {
  readonly input: JsonSchema;
  readonly effect: Effect;
  readonly where: 'inline' | 'queue';
}

/** The context in which a source lists. The list belongs to the session, so the context has no caller. */
export interface ListContext
  extends Pick<ToolContext<string, string>, 'tenant' | 'sessionId' | 'signal' | 'setting' | 'secret'> {
  /** The services for sources. There are no files yet. */
  readonly services: SourceServices;
}

/**
 * A source of tools that are known only when a session begins: a server, a database, a folder. Its list is read once per session,
 * in the first step, and stored. `get` is called in every step that makes a call.
 */
export interface ToolSource {
  /** Letters, digits, `-` and `_`, up to 32. */
  readonly name: string;
  /**
   * Whether a session goes on without its tools if it cannot list them; the model is then told so. Otherwise the run waits, and
   * ends.
   */
  readonly optional?: boolean;
  /** Whether it may list tools that run from the queue. */
  readonly queue?: boolean;
  /** Names of the settings that its `list` and its tools read. */
  readonly settings?: readonly string[];
  readonly secrets?: readonly string[];
  /**
   * The tools for this session: up to 2,000 tools and 2 MB of JSON, within 10 s. If it rejects, it is asked again, unless the
   * error is an {@link UnusableSource}.
   */
  list(context: ListContext): Promise<readonly ToolDeclaration[]> | readonly ToolDeclaration[];
  /**
   * Returns the function that runs a call of a tool that it has listed, perhaps days ago. It is called once per call, so open
   * connections inside of the function, not before.
   */
  get(tool: ListedTool): Tool['run'];
}

/** Separates the source's name from the tool's in the name that the model calls. */
export const separator = '__';

/** Thrown by `list` of a source if asking again does not help: the run ends at once, or goes on without an optional source. */
export class UnusableSource extends Error {
  override name = 'UnusableSource';
  readonly final = true;
}
