import { readRemembering } from '../../shared/agent/memories/open.ts';
import { readMedia } from '../../shared/agent/step/complete.ts';
import { readFolding, readRoom } from '../../shared/agent/step/fold-if-full.ts';
import { readAsking, readForming } from '../../shared/agent/step/list-tools.ts';
import { readAnswering } from '../../shared/agent/step/read-answers.ts';
import { readAwaiting } from '../../shared/agent/step/read-awaiting.ts';
import { readCalls } from '../../shared/agent/step/read-calls.ts';
import { readGates } from '../../shared/agent/step/read-gates.ts';
import { readProposals } from '../../shared/agent/step/read-proposals.ts';
import { readReminders } from '../../shared/agent/step/read-reminders.ts';
import { readOmitting, readOmittingTools } from '../../shared/agent/step/refused-part.ts';
import { readLeavingOut } from '../../shared/agent/step/run-calls.ts';
import { readLoop } from '../../shared/agent/step/run-step.ts';
import { readShrinking } from '../../shared/agent/step/shrinks.ts';
import { readShowing } from '../../shared/agent/tools/execute.ts';
import { loadReaders } from '../../shared/agent/tools/json-schema.ts';
import { readFinding } from '../../shared/agent/tools/lazy/search-tools.ts';
import { readLater } from '../../shared/agent/tools/read-later.ts';
import { readLeave } from '../../shared/agent/tools/read-leave.ts';
import { readSearching } from '../../shared/agent/tools/toolset.ts';
import { readWorkspaces } from '../../shared/agent/workspace/open.ts';
import { readSigns } from '../../shared/models/slowed.ts';

/**
 * Read before anything is tried, so that guards can be asked by themselves, and no step waits for a file: in virtual time
 * everybody else goes on meanwhile, and the same seed has another history.
 */
await Promise.all([
  readLoop(),
  readAsking(),
  readForming(),
  readOmitting(),
  readOmittingTools(),
  readCalls(),
  readAnswering(),
  readAwaiting(),
  readLater(),
  readLeave(),
  readProposals(),
  readFolding(),
  readRoom(),
  readLeavingOut(),
  readReminders({ recitation: [], failures: 1 }),
  readGates(),
  readShrinking(),
  readRemembering(),
  loadReaders(),
  readSearching(),
  readFinding(),
  readMedia(),
  readShowing(),
  readWorkspaces(),
  readSigns(),
]);
