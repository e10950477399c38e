import type { AnyGuard } from '../../guardrails/guard.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { Pinned } from '../../session/pinned.ts';

/** Loads the code that gates completions: few agents have a list of tasks, or a command that must pass. */
export const readGates = readOnce(() => import('../../guardrails/proof/gates.ts'));

/** The gates of a session. */
export async function openGates(
  tools: readonly ToolFacts[],
  pinned: Pick<Pinned, 'guardrails' | 'limits'>,
): Promise<readonly AnyGuard[]> {
  const has =
    pinned.guardrails.verify.command !== undefined ||
    tools.some(({ evidence }) => evidence?.tasks || evidence?.compiles);
  return has ? (await readGates()).gatesOf(tools, pinned) : [];
}
