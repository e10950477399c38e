/** Files of a lane that is not isolated share a process: what one of them has left there is gone before the next begins. */

import { vi } from 'vitest';

vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
// A client of AWS that knows Lambda's store of invocations leaves it behind, and then lines of the log name a request.
Reflect.deleteProperty(globalThis, 'awslambda');
