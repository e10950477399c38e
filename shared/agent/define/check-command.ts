import type { Guardrails } from '../config/guardrails.ts';
import type { Tool } from '../tools/tool.ts';

/** The tool that runs the verification command. */
const SHELL = 'bash';

/** Why an agent's command cannot be run; undefined if it can, or if there is none. */
export function wrongCommand(
  tools: readonly Tool[],
  { verify }: Pick<Guardrails, 'verify'>,
): string | undefined {
  return verify.command === undefined || tools.some(({ name }) => name === SHELL)
    ? undefined
    : `guardrails.verify.command needs the tool ${SHELL}, which the agent does not have: add bash() of steploop/bash to its tools`;
}
