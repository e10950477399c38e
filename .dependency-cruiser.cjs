/** Who may import whom (docs/design.md, "The house"). */
const aws = '^node_modules/(@aws-sdk|@smithy)/';
const model = '^node_modules/(@anthropic-ai|openai)/';

/** What is written as by any user of the package: this deployment, and the project that `steploop init` makes. */
const users = '^(agents/|evals/|steploop\\.config\\.ts$|infra/app\\.ts$|cli/init/template/|web/samples/)';
const entries =
  '^(shared/agent/define|infra|web/client|web/partial|web/ag-ui|web/ai-sdk|web/react|testing|testing/evals|tools|tools/(a2a|bash|mcp|typescript))/index\\.ts$';

/**
 * The floors of the core, from the ground up: what each may know beside itself, types included. A guard, a tool and a
 * stream know nothing of each other; what users define knows nothing of steps.
 */
const ground = ['plain', 'texts', 'words', 'config', 'session'];
const house = {
  plain: [],
  texts: ['plain'],
  words: ['plain'],
  config: ['plain', 'texts'],
  session: ['plain', 'texts', 'words', 'config'],
  budgets: ground,
  memories: ground,
  schedules: ground,
  ports: [...ground, 'budgets', 'memories', 'schedules'],
  reminders: [...ground, 'ports', 'schedules'],
  consistency: [],
  lineage: [...ground, 'ports'],
  workspace: [...ground, 'ports'],
  media: [...ground, 'ports', 'workspace'],
  skills: [...ground, 'ports', 'workspace'],
  policy: [...ground, 'workspace'],
  tools: [...ground, 'ports', 'memories', 'reminders', 'workspace', 'media', 'skills', 'policy'],
  guardrails: [...ground, 'ports'],
  context: [...ground, 'ports'],
  events: [...ground, 'ports'],
  outbound: [...ground, 'ports', 'events'],
  history: [...ground],
  define: [
    ...ground,
    'ports',
    'memories',
    'schedules',
    'workspace',
    'media',
    'skills',
    'tools',
    'guardrails',
  ],
  step: [
    ...ground,
    'ports',
    'lineage',
    'budgets',
    'workspace',
    'media',
    'skills',
    'policy',
    'tools',
    'guardrails',
    'context',
    'events',
    'outbound',
    'define',
  ],
  replay: [...ground, 'events', 'context', 'guardrails', 'tools', 'step'],
};
const placeOf = (floor) => `^shared/agent/${floor}(/|\\.ts$)`;
const floors = Object.entries(house).map(([floor, below]) => ({
  name: `floor-${floor}`,
  comment: 'docs/design.md, "The house": imports of the core point down.',
  severity: 'error',
  from: { path: placeOf(floor) },
  to: { path: '^shared/agent/', pathNot: [floor, ...below].map(placeOf) },
}));

/** The rooms of a step, from the ground up. `step.ts` and `run-step.ts` stand above them. */
const rooms = ['draft', 'open', 'model', 'end', 'fold', 'assess', 'batch'].map((room, at, all) => ({
  name: `room-${room}`,
  comment: 'docs/design.md, "The house": imports inside a step point down.',
  severity: 'error',
  from: { path: placeOf(`step/${room}`) },
  to: { path: '^shared/agent/step/', pathNot: all.slice(0, at + 1).map((one) => placeOf(`step/${one}`)) },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...floors,
    ...rooms,
    {
      name: 'contract-knows-zod-only',
      severity: 'error',
      from: { path: '^shared/contract/' },
      to: { pathNot: ['^shared/contract/', '^node_modules/zod/'] },
    },
    {
      name: 'agent-is-pure',
      comment: 'The core does no I/O: no SDK, no node: module. Clocks and chance come through ports.',
      severity: 'error',
      from: { path: '^shared/agent/' },
      to: {
        pathNot: [
          '^shared/(agent|contract)/',
          '^node_modules/(zod|@noble/hashes|minisearch|@orama|re2js|diff|yaml|croner)/',
        ],
      },
    },
    {
      name: 'adapters-know-the-core-only',
      severity: 'error',
      from: { path: '^shared/(aws|memory)/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench)/' },
    },
    {
      name: 'models-know-the-core-only',
      comment: 'Servers of models are not AWS.',
      severity: 'error',
      from: { path: '^shared/models/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench|shared/(aws|memory|slack))/' },
    },
    {
      name: 'the-edges-ports-are-types',
      comment:
        'What the edge asks of the world: interfaces, and the numbers that are part of their promises.',
      severity: 'error',
      from: { path: '^shared/edge/' },
      to: { pathNot: '^shared/(edge|contract)/' },
    },
    {
      name: 'callbacks-know-the-core-only',
      comment: 'Calling a URL that somebody else chose is not AWS.',
      severity: 'error',
      from: { path: '^shared/(callbacks|egress|telemetry)/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench|shared/(aws|memory|slack|models))/' },
    },
    {
      name: 'memory-is-memory',
      severity: 'error',
      from: { path: '^shared/memory/' },
      to: { pathNot: ['^shared/(memory|agent|contract|edge|slack|email)/', '^shared/egress/guarded\\.ts$'] },
    },
    {
      name: 'channels-know-the-core-only',
      severity: 'error',
      from: { path: '^shared/(slack|email|channels)/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench|shared/(aws|memory|models))/' },
    },
    {
      name: 'only-its-adapter-knows-slack',
      severity: 'error',
      from: { pathNot: '^(shared/slack/web-api\\.ts$|local/slack/socket/connection\\.ts$|test/|bench/)' },
      to: { path: '^node_modules/@slack/' },
    },
    {
      name: 'agents-use-the-entries-only',
      comment: 'This repository is the first user of its package: what its agents cannot import, nobody can.',
      severity: 'error',
      from: { path: users },
      to: {
        path: '^(functions|infra|local|web|testing|test|bench|shared|cli|tools)/',
        pathNot: [entries, users],
      },
    },
    {
      name: 'tools-know-the-definition-only',
      comment:
        'Tools that an agent may be given are made as any user makes them, of what the core has no opinion about.',
      severity: 'error',
      from: { path: '^tools/' },
      to: {
        path: '^(functions|infra|local|web|agents|testing|test|bench|cli|shared)/',
        pathNot: '^shared/(contract|agent/(define|plain))/',
      },
    },
    {
      name: 'nobody-needs-the-tools',
      comment: 'An agent that is given none of them has none of them in its bundle.',
      severity: 'error',
      from: { path: '^(shared|functions|infra|local|web|cli|testing)/' },
      to: { path: '^tools/' },
    },
    {
      name: 'entries-by-their-names',
      comment: 'A relative path to an entry works here and nowhere else.',
      severity: 'error',
      from: { path: users },
      to: { path: entries, dependencyTypes: ['local'] },
    },
    {
      name: 'browser-entries-need-no-node',
      comment: '`steploop`, `steploop/client` and `steploop/ag-ui`, and all that they reach.',
      severity: 'error',
      from: { path: '^(shared/agent|shared/contract|web)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'rehearsals-need-no-aws',
      comment:
        'What users test their agents with: the core, the stores in memory, the price list, shapes, and a script.',
      severity: 'error',
      from: { path: '^testing/' },
      to: {
        pathNot: [
          '^(testing|shared/(agent|contract|edge|memory|skills))/',
          '^shared/models/shape/',
          '^shared/models/prices\\.ts$',
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'the-command-starts-what-it-needs',
      comment:
        'What synthesizes and what deploys is started by its path, in a process of its own. What rebuilds takes the options of a deploy.',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/(init/template|eval|doctor)/' },
      to: {
        path: '^(functions|infra|agents|evals|test|testing|bench|shared/(aws|memory|models|slack))/',
        pathNot: '^infra/(bundle|bundle/size|definition/(load|place|source))\\.ts$',
      },
    },
    {
      name: 'evals-are-played-by-the-command',
      comment:
        'In its own process: by rehearsals, with the providers of models. Only the doctor asks models as well.',
      severity: 'error',
      from: { path: '^cli/(eval|doctor)/' },
      to: {
        path: '^(functions|infra|agents|evals|test|bench|shared/(aws|memory|slack))/',
        pathNot: '^infra/(bundle|bundle/size|definition/(load|place|source))\\.ts$',
      },
    },
    {
      name: 'nobody-imports-the-command',
      severity: 'error',
      from: { pathNot: '^(cli|test)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'functions-are-entries',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(infra|local|web|test|bench|shared/memory)/' },
    },
    {
      name: 'one-composition-root',
      comment:
        'Which adapters a function has is said in functions/ports; everything else there is handed its ports.',
      severity: 'error',
      from: { path: '^functions/(?!ports/)' },
      to: { path: '^shared/(aws|callbacks)/' },
    },
    {
      name: 'only-entries-compose',
      severity: 'error',
      from: { path: '^functions/.+/', pathNot: '^functions/ports/' },
      to: { path: '^functions/ports/' },
    },
    {
      name: 'one-entrypoint-for-decisions',
      comment: 'Who may decide is asked in one place, whichever way a decision comes.',
      severity: 'error',
      from: { pathNot: '^(functions/middleware/decide\\.ts$|test/|testing/|bench/)' },
      to: { path: '^shared/agent/entrypoints/decide\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-functions',
      severity: 'error',
      from: { pathNot: '^(functions|test)/' },
      to: { path: '^functions/' },
    },
    {
      name: 'infra-and-web-know-the-contract-only',
      severity: 'error',
      from: { path: '^(infra|web)/' },
      to: {
        path: '^(functions|local|agents|test|bench|shared/(agent|aws|callbacks|edge|egress|memory|models))/',
      },
    },
    {
      name: 'the-client-needs-nothing',
      comment: 'web/client has no dependencies; web/ag-ui, on top of it, needs @ag-ui/client.',
      severity: 'error',
      from: { path: '^web/client/' },
      to: { path: '^(node_modules/|web/(?!client/))', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-hooks-need-react-only',
      severity: 'error',
      from: { path: '^web/react/' },
      to: {
        path: '^(node_modules/(?!react/)|web/(?!react/|client/))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'local-runs-the-template',
      severity: 'error',
      from: { path: '^local/' },
      to: {
        path: '^(infra|functions|agents|test|bench|shared/(agent|aws|callbacks|edge|egress|memory|models))/',
      },
    },
    {
      name: 'local-stack-stands-alone',
      severity: 'error',
      from: { path: '^local/stack/' },
      to: { path: '^(shared|web|local/(?!stack/))' },
    },
    {
      name: 'only-its-adapter-knows-the-model',
      severity: 'error',
      from: { pathNot: '^(shared/models/(anthropic|openai)/|test/|bench/)' },
      to: { path: model },
    },
    {
      name: 'only-adapters-know-aws',
      comment: 'Bedrock sends its streams in a framing of AWS.',
      severity: 'error',
      from: { pathNot: '^(shared/(aws|models/bedrock)/|local/|test/|bench/)' },
      to: { path: aws },
    },
    {
      name: 'nobody-imports-tests',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^(test|bench)/' },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // One has packages of its own, which are not installed with the others; what compiles the other is Vite; and what is built is no source.
    exclude: { path: '^web/samples/(?:copilotkit|assistant-ui)/|\\.vue$|^web/console/dist' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@steploop/source', 'import', 'node', 'types', 'default'],
    },
  },
};
