import type { Guardrails } from '../config/guardrails.ts';
import type { Tool } from '../tools/tool.ts';

/** The tool that runs the command of a verification. */
const SHELL = 'bash';

/** Why an agent's command cannot be run; undefined when it can, or when there is none. */
export function wrongCommand(
  tools: readonly Tool[],
  { verify }: Pick<Guardrails, 'verify'>,
): string | undefined {
  return verify.command === undefined || tools.some(({ name }) => name === SHELL)
    ? undefined
    : `guardrails.verify.command is run with the agent's tool ${SHELL}: add bash() of steploop/bash to its tools`;
}
