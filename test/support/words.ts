import { readRemembering } from '../../shared/agent/memories/open.ts';
import { readReminding } from '../../shared/agent/reminders/open.ts';
import { readSkills } from '../../shared/agent/skills/session-skills.ts';
import { readAssessing } from '../../shared/agent/step/assess/assess-if-due.ts';
import { readAwaiting } from '../../shared/agent/step/batch/read-awaiting.ts';
import { readCalls } from '../../shared/agent/step/batch/read-calls.ts';
import { readChildren, readHandingOff } from '../../shared/agent/step/batch/read-children.ts';
import { readOutside } from '../../shared/agent/step/batch/read-outside.ts';
import { readProposals } from '../../shared/agent/step/batch/read-proposals.ts';
import { readLeavingOut } from '../../shared/agent/step/batch/run-calls.ts';
import {
  readAnsweringParent,
  readStopping,
  readTellingProgress,
} from '../../shared/agent/step/end/read-answering-parent.ts';
import { readFolding, readRoom } from '../../shared/agent/step/fold/fold-if-full.ts';
import { readShrinking } from '../../shared/agent/step/fold/shrinks.ts';
import { readMedia } from '../../shared/agent/step/model/complete.ts';
import { readAsking, readForming, readPinningSkills } from '../../shared/agent/step/model/list-tools.ts';
import { readIndexing } from '../../shared/agent/step/model/memory-index.ts';
import { readOmitting, readOmittingTools } from '../../shared/agent/step/model/refused-part.ts';
import { readAnswering } from '../../shared/agent/step/open/read-answers.ts';
import { readGates } from '../../shared/agent/step/open/read-gates.ts';
import { readReminders } from '../../shared/agent/step/open/read-reminders.ts';
import { readLoop } from '../../shared/agent/step/run-step.ts';
import { readShowing } from '../../shared/agent/tools/execute.ts';
import { readStoppingCalls } from '../../shared/agent/tools/execute-or-stop.ts';
import { loadReaders } from '../../shared/agent/tools/json-schema.ts';
import { readShells } from '../../shared/agent/tools/read-cache.ts';
import { readLater } from '../../shared/agent/tools/read-later.ts';
import { readLeave } from '../../shared/agent/tools/read-leave.ts';
import { readFinding } from '../../shared/agent/tools/search/search-tools.ts';
import { readFrontMatter } from '../../shared/agent/tools/skills/of-workspace.ts';
import { readPageTools, readSearching, readSkillTool } from '../../shared/agent/tools/toolset.ts';
import { readWorkspaces } from '../../shared/agent/workspace/open.ts';
import { readShapes } from '../../shared/models/shape/with-shapes.ts';
import { readSigns } from '../../shared/models/slowed.ts';
import './production-builds.ts';

/**
 * Loaded before any test, so that guards can be tested alone and no step waits for a file. In virtual time everything
 * else continues during such a wait, and the same seed would take another course.
 */
await Promise.all([
  readLoop(),
  readAsking(),
  readForming(),
  readPinningSkills(),
  readSkills(),
  readSkillTool(),
  readPageTools(),
  readStopping(),
  readFrontMatter(),
  readOmitting(),
  readOmittingTools(),
  readCalls(),
  readAnswering(),
  readAssessing(),
  readAwaiting(),
  readChildren(),
  readHandingOff(),
  readAnsweringParent(),
  readTellingProgress(),
  readLater(),
  readLeave(),
  readStoppingCalls(),
  readOutside(),
  readProposals(),
  readFolding(),
  readRoom(),
  readLeavingOut(),
  readReminders({ recitation: [], orientation: 0, failures: 1 }),
  readGates(),
  readShrinking(),
  readRemembering(),
  readReminding(),
  loadReaders(),
  readShells(),
  readIndexing(),
  readSearching(),
  readFinding(),
  readMedia(),
  readShowing(),
  readWorkspaces(),
  readSigns(),
  readShapes(),
]);
