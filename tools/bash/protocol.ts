import type { FileEntry } from '../../shared/agent/define/index.ts';

/** The limits of a script. */
export interface ShellLimits {
  /** Wall time of a script, in seconds. */
  readonly seconds: number;
  /** Hosts that it may reach; none if absent. */
  readonly hosts?: readonly string[];
  /** Whether it may run JavaScript. */
  readonly javascript: boolean;
}

/** The input of a script's worker. */
export interface Job {
  readonly script: string;
  readonly limits: ShellLimits;
  /** The workspace before the script. */
  readonly files: readonly FileEntry[];
  /** Files of skills that the script names, read-only: what it writes there is lost. */
  readonly skills: readonly SkillPath[];
  /** URL of js-exec's own worker in a bundle; elsewhere it stands beside the library. */
  readonly jsExecWorker?: string;
}

/** A file of a skill. */
export interface SkillPath {
  readonly skill: string;
  /** Below the skill's folder. */
  readonly path: string;
}

/** A script's request to the outside. */
export type ScriptRequest =
  | { readonly kind: 'read'; readonly path: string }
  | ({ readonly kind: 'skill' } & SkillPath)
  | { readonly kind: 'fetch'; readonly url: string; readonly init: FetchInit };

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Fetched {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  readonly url: string;
}

/** A file that the script has created or changed: its bytes, or the file whose bytes it has moved without reading them. */
export type NewContent = { readonly bytes: Uint8Array } | { readonly from: string };

/** The result of a script. */
export interface Done {
  readonly kind: 'done';
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: readonly (readonly [path: string, content: NewContent])[];
  readonly removed: readonly string[];
}

export type FromWorker =
  | (ScriptRequest & { readonly id: number })
  | Done
  | { readonly kind: 'broke'; readonly why: string };
export type ToWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };
