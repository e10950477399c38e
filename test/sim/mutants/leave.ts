/** Mutants of leave: what is decided on calls, and what people grant. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const grants = agent('policy/grants');
const plan = agent('step/batch/plan-batch');
const calls = agent('step/batch/run-calls');
const leave = agent('step/batch/permission');
const lazy = agent('tools/lazy/leave');

export const leaveMutants: readonly Mutant[] = [
  mutant(
    'grants: a use is not taken',
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
    'grants: for ever',
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
  mutant('grants: over when the call begins', calls, 'leave.until <= now)', 'leave.until <= 0)'),
  mutant(
    'grants: over in the queue',
    lazy,
    '(taken.until === undefined || taken.until > now) &&',
    '(taken.until === undefined || now > 0) &&',
  ),
  mutant(
    'grants: taken back, and used',
    agent('session/leave'),
    'session.grants.filter(({ id }) => !revoked.includes(id))',
    "session.grants.filter(({ id }) => id !== '')",
  ),
  mutant(
    'grants: taken back, in the queue',
    lazy,
    '!revoked.includes(taken.grant);',
    "!revoked.includes('');",
  ),
  mutant(
    'leave: what asks is run',
    plan,
    "(leave?.decision === 'ask' ? approvalOf(call, tool, leave, room) : undefined)",
    'undefined',
  ),
];
