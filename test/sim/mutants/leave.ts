/** Mutants of permissions: decisions on calls, and people's grants. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const grants = agent('policy/grants');
const plan = agent('step/batch/plan-batch');
const calls = agent('step/batch/run-calls');
const leave = agent('step/batch/permission');
const lazy = agent('tools/permission');

export const leaveMutants: readonly Mutant[] = [
  mutant(
    'grants: a use is not counted',
    plan,
    'state = withGrants(state, used(grants, leave.grant));',
    'state = withGrants(state, grants);',
  ),
  mutant(
    'grants: of any run',
    grants,
    '(grant.run === undefined || grant.run === run) &&',
    '(grant.run === undefined || run !== undefined) &&',
  ),
  mutant(
    'grants: never expire',
    grants,
    '  (grant.until === undefined || grant.until > now);',
    '  (grant.until === undefined || now > 0);',
  ),
  mutant('grants: for any tool', grants, '      grant.tool === tool &&\n', ''),
  mutant(
    'grants: for any arguments',
    grants,
    '(grant.digest === undefined || grant.digest === digest),',
    '(grant.digest === undefined || digest !== undefined),',
  ),
  mutant(
    'grants: made by a refusal too',
    leave,
    'if (!decision?.approved || !decision.grant || !call',
    'if (!decision?.grant || !call',
  ),
  mutant('grants: expired when the call begins', calls, 'leave.until <= now)', 'leave.until <= 0)'),
  mutant(
    'grants: expired in the queue',
    lazy,
    '(taken.until === undefined || taken.until > now) &&',
    '(taken.until === undefined || now > 0) &&',
  ),
  mutant(
    'grants: revoked, and used',
    agent('session/leave'),
    'session.grants.filter(({ id }) => !revoked.includes(id))',
    "session.grants.filter(({ id }) => id !== '')",
  ),
  mutant('grants: revoked, in the queue', lazy, '!revoked.includes(taken.grant);', "!revoked.includes('');"),
  mutant(
    'leave: a call that must ask runs',
    plan,
    "(leave?.decision === 'ask' ? approvalOf(call, tool, leave, room) : undefined)",
    'undefined',
  ),
];
