import type { AnyGuard } from '../../guardrails/guard.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { Pinned } from '../../session/pinned.ts';

/** Loads the code that gates completions: few agents have a list of tasks, a command that must pass, or reflection. */
export const readGates = readOnce(() => import('../../guardrails/proof/gates.ts'));

/** The gates of a session. */
export async function openGates(
  tools: readonly ToolFacts[],
  pinned: Pick<Pinned, 'guardrails' | 'limits' | 'answer'>,
): Promise<readonly AnyGuard[]> {
  const has =
    pinned.guardrails.verify.command !== undefined ||
    pinned.guardrails.reflection.maxRounds > 0 ||
    tools.some(({ evidence }) => evidence?.tasks || evidence?.compiles);
  return has ? (await readGates()).gatesOf(tools, pinned) : [];
}
