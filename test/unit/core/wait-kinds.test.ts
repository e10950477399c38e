import { expect, test } from 'vitest';
import * as core from '../../../shared/agent/session/waits.ts';
import { isApproval, isForPeople, waitKinds } from '../../../shared/contract/waits.ts';

test.each(waitKinds)('the core and the clients agree on who settles a wait of the kind %s', (kind) => {
  expect(isForPeople(kind)).toBe(core.isForPeople({ kind }));
  expect(isApproval(kind)).toBe(core.isApproved(kind));
});
