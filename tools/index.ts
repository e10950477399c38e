/** `steploop/tools`: tools for agents. A bundle contains only the tools that its agents name. */

export { editFile } from './files/edit-file.ts';
export { globFiles } from './files/glob.ts';
export { grepFiles } from './files/grep.ts';
export { listFiles } from './files/list-files.ts';
export { readFile } from './files/read-file.ts';
export { sendFiles } from './files/send-files.ts';
export { viewImage } from './files/view-image.ts';
export { writeFile } from './files/write-file.ts';
export { goals, goalTools, pursueGoal } from './goals.ts';
export { type MemoryToolsOptions, memoryTools, saveMemory, searchMemory } from './memory.ts';
export { pageState } from './page-state.ts';
export { followUp, remind, reminders, reminderTools } from './reminders.ts';
export { tasks } from './tasks.ts';
export { waitUntil } from './wait-until.ts';
export { type HttpFetchOptions, httpFetch } from './web/http-fetch.ts';
export { type WorkspaceToolsOptions, workspaceTools } from './workspace-tools.ts';
