import { rulesOfEffect } from '../config/effects.ts';
import type { LeaveOf } from './asking.ts';
import type { Tool } from './tool.ts';

/** What a call's result says that was not run, before it has its number. */
const NOT_RUN = 'Not run: this session is in plan mode.';

/** Whether what a call of the tool would do is proposed without running it. The list of tasks is no part of the world. */
const isHeld = (tool: Tool): boolean =>
  rulesOfEffect(tool.effect).changes && !tool.drafts && !tool.evidence?.tasks && tool.where !== 'person';

/** Whether its calls are proposed, run on a draft or not. */
const isProposed = (tool: Tool): boolean => tool.drafts === true || isHeld(tool);

/**
 * What runs in plan mode in place of a tool: the tool itself where it changes nothing, or nothing but files, which are those of a draft.
 * Of any other one only the arguments are read, so that wrong ones fail as ever (A13).
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
 * What decides on calls in plan mode. What is proposed asks nobody now, for people are asked about all of it; and takes no use of a
 * grant. What forbids a call does so now, too.
 */
export const leaveToPropose =
  (leaveOf: LeaveOf): LeaveOf =>
  (call, tool, grants) => {
    if (!tool || !isProposed(tool)) return leaveOf(call, tool, grants);
    const leave = leaveOf(call, tool, []);
    return leave?.decision === 'ask' ? { ...leave, decision: 'allow' } : leave;
  };
