import type { ModelRequest } from '../../agent/ports/provider.ts';

/** Turns `context_management` on (platform.claude.com/docs/en/build-with-claude/context-editing). */
const BETA = 'context-management-2025-06-27';

/** The parts of a request beside its messages: fields of its body, and betas for its header. */
interface RequestParts {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly betas: readonly string[];
}

/**
 * Context editing as this API does it: the server replaces old results in what the model reads, while the request and
 * our history stay whole. An agent's own `context_management` is left as it is.
 */
export function withEditing(asking: RequestParts, { editing }: ModelRequest): RequestParts {
  if (!editing || 'context_management' in asking.fields) return asking;
  const { above, atLeast, keepResults } = editing;
  const edit = {
    type: 'clear_tool_uses_20250919',
    trigger: { type: 'input_tokens', value: above },
    keep: { type: 'tool_uses', value: keepResults },
    ...(atLeast > 0 && { clear_at_least: { type: 'input_tokens', value: atLeast } }),
  };
  return {
    fields: { ...asking.fields, context_management: { edits: [edit] } },
    betas: asking.betas.includes(BETA) ? asking.betas : [...asking.betas, BETA],
  };
}
