import type * as z from 'zod';
import type { Effect } from '../config/effects.ts';
import type { SourceServices } from './services.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A JSON Schema (draft 2020-12) of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Makes what reads a call's input by a JSON Schema. Throws when the schema is none, or refers to what is not in it. */
export type ReaderOf = (schema: JsonSchema) => z.ZodType;

/** A tool as a source lists it: what a tool of code says of itself, as data. */
export interface ToolDeclaration {
  /** Unique in its source. The model calls it `<source>__<name>`, with `_` for what such names may not have. */
  readonly name: string;
  /** What the model reads to decide. */
  readonly description: string;
  /** Of an object. Zod becomes JSON Schema: only that is kept. */
  readonly input: JsonSchema | z.ZodType;
  /** `once` when absent: nobody knows what a second start would do, and people are asked first (docs/tools.md). */
  readonly effect?: Effect;
  /** `inline` when absent. `queue` needs {@link ToolSource.queue}. */
  readonly where?: 'inline' | 'queue';
  /** By the agent's `approvals.effects` when absent. */
  readonly approval?: 'always' | 'never';
  /** Longest run in seconds, at most 840; the agent's `limits.toolTimeoutSeconds` when absent. */
  readonly timeoutSeconds?: number;
}

/** A tool as a session keeps it. */
export interface ListedTool extends ToolDeclaration {
  readonly input: JsonSchema;
  readonly effect: Effect;
  readonly where: 'inline' | 'queue';
}

/** What a source is given to list with: what it lists is the session's, whoever asks later. */
export interface ListContext
  extends Pick<ToolContext<string, string>, 'tenant' | 'sessionId' | 'signal' | 'setting' | 'secret'> {
  /** What the deployment does for sources. There are no files yet. */
  readonly services: SourceServices;
}

/**
 * Where tools come from that are known only when a session begins: a server, a database, a folder. A session is listed
 * to once, in its first step, and keeps what it was told; what runs a call is asked for in every step that makes one.
 */
export interface ToolSource {
  /** Letters, digits, `-` and `_`, up to 32. */
  readonly name: string;
  /** A session goes without its tools when it cannot list them, and the model is told so. Else the run waits, and ends. */
  readonly optional?: boolean;
  /** It may list tools that run from the queue. */
  readonly queue?: boolean;
  /** What its `list` and its tools ask of the deployment, by name. */
  readonly settings?: readonly string[];
  readonly secrets?: readonly string[];
  /**
   * What there is for this session: up to 2,000 tools and 2 MB of JSON, within 10 s. Rejects when it cannot be told: it is asked again, unless
   * the error is an {@link UnusableSource}.
   */
  list(context: ListContext): Promise<readonly ToolDeclaration[]> | readonly ToolDeclaration[];
  /** What runs a call of a tool that it has listed, perhaps days ago. It is asked by the call: open connections in it, not before. */
  get(tool: ListedTool): Tool['run'];
}

/** What the model calls a tool of a source. */
export const separator = '__';

/** Thrown by `list` of a source when asking again does not help: the run ends at once, or goes on without an optional source. */
export class UnusableSource extends Error {
  override name = 'UnusableSource';
  readonly final = true;
}
