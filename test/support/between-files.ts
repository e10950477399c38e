/**
 * Files of a lane that is not isolated share a process. This removes what one file left behind before the next begins.
 */

import { vi } from 'vitest';

vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
// An AWS client that knows Lambda's store of invocations leaves it behind, and then log lines name a request.
Reflect.deleteProperty(globalThis, 'awslambda');
