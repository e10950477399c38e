import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FunctionName } from '../../infra/bundle.ts';
import {
  consoleRoutes,
  hookRoutes,
  httpRoutes,
  slackRoutes,
  socketRoutes,
} from '../../shared/contract/routes.ts';
import { synthesized } from './synthesized.fixture.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-capabilities-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The template of a definition with these parts, next to one agent with one tool. */
async function deployed(name: string, parts: string, tool = '') {
  const definition = join(root, `${name}.ts`);
  await writeFile(
    definition,
    `import { defineAgent, defineDeployment, defineTool, defineWebhook } from 'steploop';
    import * as z from 'zod';
    const look = defineTool({ name: 'look', description: 'd', effect: 'read', input: z.object({}), run: () => 1, ${tool} });
    const clerk = defineAgent({ name: 'clerk', version: '1', model: { name: 'm' }, system: 's', tools: [look] });
    const hook = defineWebhook({ verify: { kind: 'github', secret: 'HOOK' }, map: () => undefined });
    export default defineDeployment({ agents: [clerk], ${parts} });`,
  );
  return synthesized({ definition });
}

const always: FunctionName[] = ['step', 'dead-letter', 'sweep', 'http', 'socket', 'console'];
const routesOf = (stack: Awaited<ReturnType<typeof deployed>>) =>
  stack.resources('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties.RouteKey);

describe('a definition', () => {
  test('with agents only has the loop, its APIs and two secrets, and nothing else', async () => {
    const stack = await deployed('alone', '');
    expect(Object.keys(stack.entry.functions).sort()).toEqual([...always].sort());
    const used = httpRoutes.filter(
      (route) => !/ \/(hooks|a2a)\/| \/mcp$|callbacks\/secrets|callback\/try/.test(route),
    );
    expect(routesOf(stack).sort()).toEqual([...used, ...consoleRoutes, ...socketRoutes].sort());
    const queues = stack.resources('AWS::SQS::Queue').map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));
    expect(queues.sort()).toEqual(['AgentsStepQueueDeadLetters', 'AgentsStepQueueWakes']);
    stack.template.resourceCountIs('AWS::Lambda::Url', 0);
    const secrets = stack
      .resources('AWS::SecretsManager::Secret')
      .map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));
    expect(secrets.sort()).toEqual(['AgentsSecretsANTHROPICAPIKEY', 'AgentsSecretsApiToken']);
    expect(Object.keys(stack.entry.outputs).sort()).toEqual([
      'AlarmsTopicArn',
      'ApiTokenSecretArn',
      'BlobBucketName',
      'DashboardName',
      'DeadLetterQueueUrl',
      'HttpUrl',
      'SocketUrl',
      'StepQueueUrl',
      'TableName',
    ]);
    // The template does not mention the parts that it lacks.
    expect(JSON.stringify(stack.template.toJSON().Resources)).not.toMatch(/slack|callback_|OIDC|github/i);
  });

  test.each<[string, string, string, FunctionName[], readonly string[]]>([
    [
      'webhooks',
      'webhooks: { code: hook }, secrets: { HOOK: { description: "d" } }',
      '',
      ['hooks'],
      hookRoutes,
    ],
    ['slack', 'slack: { agentFor: () => "clerk" }', '', ['deliver', 'slack', 'slack-jobs'], slackRoutes],
    ['agui', 'agui: true', '', ['agui'], []],
    ['chat', 'chat: true', '', ['agui'], []],
    [
      'callbacks',
      'callbacks: true',
      '',
      ['deliver'],
      ['GET /callbacks/secrets', 'POST /sessions/{sessionId}/callback/try'],
    ],
    ['queued', '', "where: 'queue'", ['tool'], []],
  ])('with %s has what that needs', async (name, parts, tool, functions, routes) => {
    const stack = await deployed(name, parts, tool);
    expect(Object.keys(stack.entry.functions).sort()).toEqual([...always, ...functions].sort());
    expect(routesOf(stack)).toEqual(expect.arrayContaining([...routes]));
    const slack = JSON.stringify(stack.template.toJSON().Resources).match(/slack/i) !== null;
    expect(slack).toBe(name === 'slack');
  });

  test('with doors for MCP and A2A lets pages send the headers of their clients, and without them does not', async () => {
    const allowed = async (name: string, parts: string) =>
      (await deployed(name, parts))
        .resources('AWS::ApiGatewayV2::Api')
        .flatMap(([, { Properties }]) => Properties.CorsConfiguration?.AllowHeaders ?? []);
    const usual = ['authorization', 'content-type', 'idempotency-key'];
    expect(await allowed('closed', '')).toEqual(usual);
    expect(await allowed('doors', 'mcp: true, a2a: true')).toEqual([
      ...usual,
      ...['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id'],
      ...['a2a-version', 'a2a-extensions', 'x-a2a-extensions'],
    ]);
  });

  test('has a secret for each that it declares, readable only by the functions that need it', async () => {
    const stack = await deployed(
      'secrets',
      'webhooks: { code: hook }, secrets: { HOOK: { description: "Key of the hook." }, LOOK: { description: "Key of the tool." } }',
      "secrets: ['LOOK']",
    );
    const readers = (name: string) =>
      Object.keys(stack.entry.functions).filter((reader) =>
        JSON.stringify(stack.mayDo(reader as FunctionName, 'secretsmanager:GetSecretValue')).includes(
          String(stack.entry.secrets[name]),
        ),
      );
    expect(readers('HOOK')).toEqual(['hooks']);
    expect(readers('LOOK')).toEqual(['step']);
    expect(readers('ANTHROPIC_API_KEY')).toEqual(['step']);
    stack.template.hasResourceProperties('AWS::SecretsManager::Secret', {
      Description: 'Key of the tool. Random until you put yours in.',
    });
  });

  test('that needs a value for a setting does not deploy without one, and the value may be known only at deployment', async () => {
    const parts = 'settings: { BUCKET: { description: "Where files are." } }';
    await expect(deployed('setting', parts)).rejects.toThrow(
      'Steploop Test/Agents: settings.BUCKET: has no default, so give a value (Where files are.)',
    );
    const definition = join(root, 'setting.ts');
    const stack = synthesized({ definition, settings: { BUCKET: 'files' } });
    expect(JSON.parse(stack.fn('step').properties.Environment.Variables.SETTINGS)).toEqual({
      BUCKET: 'files',
    });
  });

  test('with a JWT issuer configures it in functions that authenticate callers, and a stage can have a different one', async () => {
    const parts = "identity: { issuer: 'https://a.example', audience: ['one', 'two'] }";
    await deployed('identity', parts);
    const definition = join(root, 'identity.ts');
    const stack = synthesized({ definition, identity: { issuer: 'https://b.example' } });
    expect(stack.fn('http').properties.Environment.Variables).toMatchObject({
      OIDC_ISSUER: 'https://b.example',
      OIDC_AUDIENCE: 'one,two',
      OIDC_TENANT_CLAIM: 'tenant',
    });
  });
});
