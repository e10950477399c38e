import { Limits, type LimitsInput } from '../../shared/agent/config/limits.ts';
import { remindersOf } from '../../shared/agent/reminders/open.ts';
import type { Task } from '../../shared/agent/session/tasks.ts';
import { sessionSkills } from '../../shared/agent/skills/session-skills.ts';
import { servicesFor, type ToolServices } from '../../shared/agent/tools/services.ts';
import type { ToolContext } from '../../shared/agent/tools/tool.ts';
import { workspaceOf } from '../../shared/agent/workspace/open.ts';
import { memoryWorld } from '../../testing/memory-world.ts';

/** The services of a call, in memory: fetches get no answer, and the session has no files. */
export function toolServices(limitsInput: LimitsInput = {}): ToolServices {
  const key = { tenant: 'default', sessionId: 's' };
  const world = memoryWorld();
  const { signal } = new AbortController();
  const files = { tree: undefined, changed: () => [] };
  const { workspace: limits } = Limits.parse(limitsInput);
  const { workspace } = workspaceOf({ ...world, key, files, limits, writes: true, signal });
  let list: readonly Task[] = [];
  const tasks = {
    list: () => list,
    keep: (kept: readonly Task[]) => {
      list = kept;
    },
  };
  const of = { ...key, idempotencyKey: 'k', requesters: [] };
  const skills = sessionSkills({ ...world, tenant: key.tenant, skills: undefined, signal });
  const reminders = remindersOf({ ...of, agent: 'test' }, world, signal);
  return { ...servicesFor(of, world, signal), workspace, tasks, skills, reminders };
}

/** The context of a tool without requesters, which waits for nothing. */
export const noSession: Pick<
  ToolContext,
  'requesters' | 'answers' | 'later' | 'sleepUntil' | 'now' | 'ask' | 'progress'
> = {
  requesters: [],
  answers: [],
  progress: () => undefined,
  later: () => Promise.reject(new Error('this call cannot be answered later')),
  sleepUntil: () => Promise.reject(new Error('this call cannot rest')),
  now: () => Date.now(),
  ask: () => {
    throw new Error('no person can be asked here');
  },
};
