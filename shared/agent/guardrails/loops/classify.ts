import { type Effect, rulesOfEffect } from '../../config/effects.ts';
import { commandOf, isShell, type ToolFacts, targetOf } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';

/**
 * The kind of work that a tool does, for guards that treat reading and changing differently. A tool's declared effect wins. The
 * name decides only if there is no effect, as for calls of tools that do not exist.
 */
export type ToolClass = 'idempotent' | 'mutating';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names of tools that change nothing, as whole names of tokens joined by `_`. */
const IDEMPOTENT = new Set(
  words(`
  read_file read_files view_file cat_file list_files list_dir list_directory search_files find_files glob grep rg
  web_search internet_search search_web tavily_search duckduckgo_search fetch_url fetch scrape_url crawl_url
  memory_search search_memory memory_lookup get_memory recall vector_search vector_lookup knowledge_search
  system_info pwd ps df du ls cat head tail wc env date whoami hostname uname uptime free which man
  git_status git_log git_diff git_show git_branch git_remote git_config
  db_query sql_query sql_select redis_get mongo_find http_get api_get tool_search
`),
);

/** Names of tools that change something. */
const MUTATING = new Set(
  words(`
  write_file edit_file patch_file apply_patch delete_file remove_file move_file copy_file rename_file create_file
  append_file append_to_file chmod chown mkdir rmdir rm mv cp touch
  execute_code execute_command run_command run_code run_python python shell bash sh exec terminal
  git_add git_commit git_push git_pull git_merge git_rebase git_reset git_checkout git_stash git_clone git_tag
  git_cherry_pick git_revert db_insert db_update db_delete db_execute sql_insert sql_update sql_delete sql_execute
  mongo_insert mongo_update mongo_delete redis_set redis_del redis_delete http_post http_put http_patch http_delete
  api_post api_put api_patch api_delete save_memory store_memory memory_write memory_store memory_delete
  install_package pip_install npm_install start_service stop_service restart_service kill_process start_process
  stop_process tool_call call_tool
`),
);

/** Last tokens that mean a change whatever comes before them: `thread_delete`, `items_post`. */
const MUTATING_ENDINGS = new Set(words('post put patch delete update insert remove write set create'));
/** Tokens of names that read. */
const READING = new Set(words('read get list search find show view check'));
/** Tokens of names that look at files and their content. */
const LOOKING = new Set(words('read view cat open show list ls search find grep rg glob'));
/** Tokens of names that poll. */
const POLLING = new Set(words('status poll check wait ping health'));
/** Tokens of names that only wait, and of names that watch, in addition to those. */
const PAUSING = new Set(words('wait sleep'));
const WATCHING = new Set(words('watch monitor progress'));
/** A shell command that waits before it looks, or that exists to ask for progress. */
const WAITS =
  /(?:^|[;&|]|\bdo)\s*(?:sleep \d|gh (?:pr checks|run (?:view|watch|list))\b|(?:kubectl|oc)(?: -\S+ \S+){0,4} (?:rollout status|wait)\b|aws(?: --\S+ \S+){0,4} [\w-]+ (?:wait|describe-[\w-]+)\b|pg_isready\b)/;

/** Whole words of a name: split at `_`, `-`, `.` and camelCase, so that `thread_delete` does not read. */
export const tokensOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_.\-\s]+/)
    .filter((token) => token !== '');

export function classify(name: string, effect: Effect | 'unknown'): ToolClass {
  if (effect !== 'unknown') return rulesOfEffect(effect).changes ? 'mutating' : 'idempotent';
  const tokens = tokensOf(name);
  const whole = tokens.join('_');
  if (IDEMPOTENT.has(whole)) return 'idempotent';
  if (MUTATING.has(whole) || MUTATING_ENDINGS.has(tokens.at(-1) ?? '')) return 'mutating';
  return tokens.some((token) => READING.has(token)) ? 'idempotent' : 'mutating';
}

/** Whether the tool reads files, lists or searches, by its name: the calls that the guards of reads count. */
export const readsFiles = (name: string, effect: Effect | 'unknown'): boolean =>
  classify(name, effect) === 'idempotent' && tokensOf(name).some((token) => LOOKING.has(token));

/** Tokens of names, and of arguments, of tools that look at files. Others look something up, which is cheap to ask again. */
const OF_FILES = new Set(
  words(
    'file files dir dirs directory directories folder folders path paths tree glob grep rg cat ls code source repo doc docs document',
  ),
);
export const looksAtFiles = (call: ToolCall): boolean =>
  targetOf(call) !== undefined || tokensOf(call.name).some((token) => OF_FILES.has(token));

/** Whether a name says that its tool checks on progress, and so is called again and again by intent. */
export const polls = (name: string): boolean => tokensOf(name).some((token) => POLLING.has(token));

/** The same for a tool, which may declare it. */
export const isPoll = (name: string, tool: ToolFacts | undefined): boolean =>
  pollsByDeclaration(tool) ?? polls(name);

/** Whether a tool polls by what it declares; undefined if it says nothing. */
export const pollsByDeclaration = (tool: ToolFacts | undefined): boolean | undefined =>
  tool?.repeats === undefined ? tool?.poll : tool.repeats === 'polls';

/** Tokens of names that move money. */
const PAYING = new Set(
  words('pay pays payment payout charge transfer purchase buy checkout withdraw deposit wire donate'),
);

/** Whether a name says that its tool moves money, so that the same call again is no ordinary repetition. */
export const pays = (name: string): boolean =>
  tokensOf(name).some((token) => PAYING.has(token)) && !tokensOf(name).some((token) => FILES.has(token));
const FILES = new Set(words('file files folder data call session ticket'));

/** Whether the call does nothing but wait. */
export const onlyWaits = (call: ToolCall, tool: ToolFacts | undefined): boolean =>
  tokensOf(call.name).some((token) => PAUSING.has(token)) ||
  (isShell(call.name, tool) && /^\s*sleep \S+\s*$/.test(commandOf(call) ?? ''));

/** Whether the call polls, or waits for the subject of a poll. */
export const waits = (call: ToolCall, tool: ToolFacts | undefined): boolean =>
  pollsByDeclaration(tool) ??
  (polls(call.name) ||
    onlyWaits(call, tool) ||
    tokensOf(call.name).some((token) => WATCHING.has(token)) ||
    (isShell(call.name, tool) && WAITS.test(commandOf(call) ?? '')));
