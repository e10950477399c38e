/** A public bug report about a similar product that was tried on this one. */
export interface Report {
  /** Names of its tests begin with it. */
  readonly id: string;
  /** Issues on GitHub that report it. */
  readonly source: readonly string[];
  /** The required behaviour. */
  readonly right: string;
}

const report = (id: string, right: string, ...source: readonly string[]): Report => ({ id, source, right });

/** Reports about real models and MCP servers. Each has a test in this folder. */
export const reports: readonly Report[] = [
  report(
    'mcp-root-anyof',
    'A combinator at the root of a schema is folded into the object, and calls are still checked by the original; or that one tool is left out and named.',
    ...['langchain-ai/langchain#39271', 'MoonshotAI/kimi-code#2328', 'Kilo-Org/kilocode#12905'],
    ...['cloudflare/mcp-server-cloudflare#224', 'anomalyco/opencode#47543'],
  ),
  report(
    'lone-surrogate-in-reply',
    'Half of a surrogate pair becomes U+FFFD before it is stored or shown.',
    ...['anthropics/claude-code#69927', 'mastra-ai/mastra#15573'],
  ),
  report(
    'gemini-thought-signature',
    'Unknown fields of a call, and reasoning_details, are kept with the block and sent to the same model.',
    ...['earendil-works/pi#6733', 'Gitlawb/openclaude#67', 'langroid/langroid#969'],
    ...['securo-finance/securo#884', '0xsline/OpenChatCut#6'],
  ),
  report(
    'mcp-property-key-charset',
    'The key is renamed for the model and mapped back in the call; or this tool alone is left out and named.',
    ...['anthropics/claude-code#34771', 'twilio-labs/mcp#56', 'decocms/studio#6874'],
    ...['freee/freee-mcp#15', 'anthropics/claude-code#92648'],
  ),
  report(
    'refusal-poisons-session',
    'A refused turn or result is left out of later requests, and people are told that the same text will be refused.',
    ...['griffinwork40/agent-afk#290', 'can1357/oh-my-pi#3592', 'aaif-goose/goose#9724'],
    'Natfii/UnrealClaude#28',
  ),
  report(
    'mcp-outputschema-kills-list',
    'An odd outputSchema is ignored, an odd tool is left out, and a failure that a retry cannot fix is not retried for 15 minutes.',
    ...['kenn-io/msgvault#626', 'opentokenz/mcpx#28', 'ThinkInAIXYZ/deepchat#2075'],
    ...['anthropics/claude-code#88049', 'mastra-ai/mastra#21859'],
  ),
  report(
    'big-int-arguments',
    'The digits survive, or the call fails with a sentence; it never runs with another number.',
    ...['earendil-works/pi#8943', 'oceanbase/powercontext#1098', 'NousResearch/hermes-agent#55315'],
    'dylanneve1/talon#366',
  ),
  report(
    'reasoning-content-back',
    'reasoning_content goes back to the model that gave it.',
    ...['mastra-ai/mastra#12592', 'openai/openai-agents-js#791', 'MoonshotAI/kimi-cli#2141'],
    ...['bytedance/deer-flow#3043', 'charmbracelet/crush#2696'],
  ),
  report(
    'parallel-calls-index0-no-id',
    'A new name, or arguments that start over after a complete JSON value, begin a call; two entries of one chunk without an index are two calls.',
    ...['NousResearch/hermes-agent#57939', 'LibreChat-AI/agents#260', 'ollama/ollama#15457'],
    ...['omnigent-ai/omnigent#28', 'su-kaka/gcli2api#406'],
  ),
  report(
    'no-date-no-timezone',
    'Each message can carry its time and time zone.',
    ...['openclaw/openclaw#17633', 'Systemorph/MeshWeaver#1651', 'OpenHands/software-agent-sdk#3438'],
    ...['xorbitsai/xagent#1675', 'librefang/librefang#8131'],
  ),
  report(
    'pause-turn-then-message',
    'A paused turn is resumed before a new message is read; a server_tool_use that cannot be resumed is left out.',
    ...['anthropics/anthropic-sdk-python#1339', 'gsd-build/gsd-2#2869'],
    'vellum-ai/vellum-assistant#40145',
  ),
  report(
    'server-tools-dropped',
    'Server tools and the tools of the agent are both in the body, or defineAgent refuses tools, system, messages and model in request.',
    ...['strands-agents/harness-sdk#3568', 'FMXExpress/PasClaw#145'],
  ),
  report(
    'one-bad-tool-refuses-all',
    'That tool is left out or renamed with a hash, and named to people; the others work.',
    ...['can1357/oh-my-pi#2652', 'sandialabs/atlas-ui-3#727', 'mastra-ai/mastra#21859'],
  ),
  report(
    'mistral-user-after-tool',
    'An assistant message stands between, by setting or after the first such refusal.',
    ...['zed-industries/zed#31736', 'NousResearch/hermes-agent#20154', 'mistralai/mistral-vibe#578'],
    'charmbracelet/crush#279',
  ),
  report(
    'one-hour-cache-price',
    'Writes to the one-hour cache cost twice the input price.',
    ...['earendil-works/pi#5737', 'can1357/oh-my-pi#6876', 'srtab/daiv#1159'],
    'Owloops/claude-powerline#104',
  ),
  report(
    'openai-description-1024',
    'Descriptions of tools are cut for that API.',
    ...['getsentry/sentry-mcp#106', 'modelcontextprotocol/servers#799', 'danny-avila/LibreChat#5741'],
    'probelabs/probe#9',
  ),
  report(
    'mcp-null-for-optional',
    'null for a property that is not required and may not be null counts as absent.',
    ...['NVIDIA/NeMo-Agent-Toolkit#1269', 'langflow-ai/langflow#8059', 'grll/mcpadapt#38'],
  ),
  report(
    'mistral-call-ids-after-switch',
    'Ids of calls are mapped for each server.',
    ...['langchain-ai/langchain#24668', 'anomalyco/opencode#1680', 'editor-code-assistant/eca#233'],
    'openclaw/openclaw#23740',
  ),
  report(
    'cache-gone-after-approval',
    'The lifetime of cached tools and system prompts is a setting.',
    ...['openclaw/openclaw#65288', 'can1357/oh-my-pi#6876', 'librefang/librefang#8131'],
  ),
  report(
    'fold-repeats-first-task',
    'The first message is marked as answered; the open request is marked as open, and comes last.',
    'MoonshotAI/kimi-code#2680',
  ),
  report(
    'stuck-after-fold',
    'The run continues by itself to its end each time, and a message that came during the fold is read.',
    ...['bastani-inc/atomic#1280', 'PrimeIntellect-ai/prime-agent#1279', 'bastani-inc/atomic#1574'],
  ),
  report(
    'stop-in-tool-then-history',
    'Every call has exactly one result after a cancel, in a fork, and after export and import.',
    ...['ravitemer/codecompanion-history.nvim#39', 'mistralai/mistral-vibe#578'],
  ),
  report(
    'thinking-first-block',
    'Thinking blocks go back byte for byte and in order; an empty one is kept when it has a signature.',
    'earendil-works/pi#9674',
  ),
  report(
    'trailing-assistant-refused',
    'No request ends with a message of the assistant, except to resume a paused turn.',
    ...['coder/xum#2266', 'anthropics/anthropic-sdk-python#1339'],
  ),
  report(
    'structured-big-result-batches',
    'No item is above 400 KB, no wake above the limit of a message, and no commit fails.',
    ...['mastra-ai/mastra#22509', 'vercel/workflow#1929'],
  ),
  report(
    'run-breaks-at-1000-events',
    'A step does as much at the end as at the beginning; a late viewer gets a snapshot, and is told which events are gone.',
    'vercel/workflow#1012',
  ),
];
