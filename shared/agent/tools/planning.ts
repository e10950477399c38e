import { rulesOfEffect } from '../config/effects.ts';
import type { LeaveOf } from './asking.ts';
import type { Tool } from './tool.ts';

/** The result of a call that was not run, before it has its number. */
const NOT_RUN = 'Not run: this session is in plan mode.';

/**
 * Whether calls of the tool are proposed without running them. The list of tasks does not count as a change of the world. A
 * shape needs the answers of its agents, which plan by themselves.
 */
const isHeld = ({ effect, drafts, evidence, where, delegates }: Tool): boolean =>
  rulesOfEffect(effect).changes && !drafts && !evidence?.tasks && where !== 'person' && !delegates?.shape;

/** Whether its calls are proposed, whether or not they run on a draft. */
const isProposed = (tool: Tool): boolean => tool.drafts === true || isHeld(tool);

/**
 * The tool that runs in plan mode: the tool itself if it changes nothing, or only files, which are those of a draft. For any
 * other tool only the arguments are read, so that wrong ones fail as usual.
 */
export const standIn = <T extends Tool | undefined>(tool: T): T | Tool =>
  tool && isHeld(tool)
    ? {
        ...{ name: tool.name, description: tool.description, input: tool.input },
        effect: 'read',
        approval: 'never',
        run: () => NOT_RUN,
      }
    : tool;

/** Whether a result that is not an error is a change that the call has proposed. */
export const proposes = (tool: Tool | undefined, changedFiles: boolean): boolean =>
  tool !== undefined && isProposed(tool) && (changedFiles || isHeld(tool));

/**
 * The permission for calls in plan mode. A proposed change asks no person now, because people are asked about the whole plan, and
 * uses up no grant. A policy that forbids a call forbids it now, too.
 */
export const leaveToPropose =
  (leaveOf: LeaveOf): LeaveOf =>
  (call, tool, grants) => {
    if (!tool || !isProposed(tool)) return leaveOf(call, tool, grants);
    const leave = leaveOf(call, tool, []);
    return leave?.decision === 'ask' ? { ...leave, decision: 'allow' } : leave;
  };
