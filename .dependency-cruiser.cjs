/** Who may import whom (docs/design.md, "The house"). */
const aws = '^node_modules/(@aws-sdk|@smithy)/';
const model = '^node_modules/(@anthropic-ai|openai)/';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
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
      to: { pathNot: ['^shared/(agent|contract)/', '^node_modules/(zod|@noble/hashes)/'] },
    },
    {
      name: 'guards-are-pure',
      comment:
        'A guard is a function of committed state. It may know types of anything, and run only what computes.',
      severity: 'error',
      from: { path: '^shared/agent/guardrails/' },
      to: {
        pathNot: [
          '^shared/agent/guardrails/',
          '^shared/agent/(approvals|depth|hash|merge|nearest|limits|texts|reply|session|words)\\.ts$',
          '^shared/agent/tools/facts\\.ts$',
          '^shared/contract/',
          '^node_modules/zod/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-know-the-core-only',
      severity: 'error',
      from: { path: '^shared/(aws|memory)/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench)/' },
    },
    {
      name: 'memory-is-memory',
      severity: 'error',
      from: { path: '^shared/memory/' },
      to: { pathNot: ['^shared/(memory|agent|contract|slack)/'] },
    },
    {
      name: 'slack-knows-the-core-only',
      severity: 'error',
      from: { path: '^shared/slack/' },
      to: { path: '^(functions|infra|local|web|agents|test|bench|shared/(aws|memory))/' },
    },
    {
      name: 'only-its-adapter-knows-slack',
      severity: 'error',
      from: { pathNot: '^(shared/slack/web-api\\.ts$|test/|bench/)' },
      to: { path: '^node_modules/@slack/' },
    },
    {
      name: 'agents-know-the-core-only',
      severity: 'error',
      from: { path: '^agents/' },
      to: { path: '^(functions|infra|local|web|test|bench|shared/(aws|memory))/' },
    },
    {
      name: 'functions-are-entries',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(infra|local|web|test|bench|shared/memory)/' },
    },
    {
      name: 'one-door-for-decisions',
      comment: 'Who may decide is asked in one place, whichever way a decision comes.',
      severity: 'error',
      from: { pathNot: '^(functions/middleware/decide\\.ts$|test/|bench/)' },
      to: { path: '^shared/agent/decide\\.ts$', dependencyTypesNot: ['type-only'] },
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
      to: { path: '^(functions|local|agents|test|bench|shared/(agent|aws|memory))/' },
    },
    {
      name: 'the-client-needs-nothing',
      comment: 'web/client has no dependencies; web/ag-ui, on top of it, needs @ag-ui/client.',
      severity: 'error',
      from: { path: '^web/client/' },
      to: { path: '^(node_modules/|web/(?!client/))', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'local-runs-the-template',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: '^(infra|functions|agents|test|bench|shared/(agent|aws|memory))/' },
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
      from: { pathNot: '^(shared/aws/(anthropic|openai)/|test/|bench/)' },
      to: { path: model },
    },
    {
      name: 'only-adapters-know-aws',
      severity: 'error',
      from: { pathNot: '^(shared/aws/|local/|test/|bench/)' },
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
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
