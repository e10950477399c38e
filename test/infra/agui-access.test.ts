import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Steploop } from '../../infra/steploop.ts';
import { ask, quickApp, synthesized } from './synthesized.fixture.ts';

const webAcl =
  'arn:aws:wafv2:us-east-1:111111111111:global/webacl/agents/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
/** A definition without AG-UI and chat. */
const without = join(mkdtempSync(join(tmpdir(), 'steploop-without-')), 'steploop.config.ts');
beforeAll(() =>
  writeFileSync(
    without,
    `import { defineAgent, defineDeployment } from 'steploop';
    const clerk = defineAgent({ name: 'clerk', version: '1', model: { name: 'm' }, system: 's', tools: [] });
    export default defineDeployment({ agents: [clerk] });`,
  ),
);
afterAll(() => rmSync(dirname(without), { recursive: true }));

describe('the address of AG-UI', () => {
  test('is public by default, with 200 invocations reserved', () => {
    const stack = synthesized();
    expect(stack.fn('agui').properties.ReservedConcurrentExecutions).toBe(200);
    const [[, { Properties }] = [undefined, { Properties: {} }]] = stack.resources('AWS::Lambda::Url');
    expect(Properties.AuthType).toBe('NONE');
    expect(stack.resources('AWS::CloudFront::Distribution')).toEqual([]);
    expect(stack.fn('agui').properties.Environment.Variables).not.toHaveProperty('EDGE_SECRET_ID');
  });

  test('reserves what is asked for, or nothing', () => {
    const reserved = (agui: number | 'unreserved') =>
      synthesized({ concurrency: { agui } }).fn('agui').properties.ReservedConcurrentExecutions;
    expect(reserved(7)).toBe(7);
    expect(reserved('unreserved')).toBeUndefined();
  });

  test('by IAM takes signed requests of granted principals', () => {
    const app = quickApp();
    const scope = new Stack(app, 'Test');
    const agents = new Steploop(scope, 'Agents', {
      definition: 'test/support/agents/index.ts',
      agui: { access: 'iam' },
    });
    const role = new Role(scope, 'Caller', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    agents.grantAgui(role);
    const stack = ask(app, scope, agents);
    const [[, { Properties }] = [undefined, { Properties: {} }]] = stack.resources('AWS::Lambda::Url');
    expect(Properties.AuthType).toBe('AWS_IAM');
    const policies = JSON.stringify(
      stack.resources('AWS::IAM::Policy').filter(([id]) => id.startsWith('Caller')),
    );
    expect(policies).toContain('lambda:InvokeFunctionUrl');
    // No other caller is let in.
    const open = stack
      .resources('AWS::Lambda::Permission')
      .filter(([, permission]) => permission.Properties.Principal === '*');
    expect(open).toEqual([]);
    expect(() => synthesized({}, (other) => other.grantAgui(role))).toThrow("set agui: { access: 'iam' }");
  });

  test('with a web ACL is a distribution that has it, and the function refuses requests that come directly', () => {
    const stack = synthesized({ webAcl });
    const [[id, { Properties }] = ['', { Properties: {} }]] = stack.resources(
      'AWS::CloudFront::Distribution',
    );
    const { DistributionConfig: config } = Properties;
    expect(config.WebACLId).toBe(webAcl);
    expect(config.DefaultCacheBehavior).toMatchObject({
      Compress: false,
      ViewerProtocolPolicy: 'https-only',
    });
    expect(config.DefaultCacheBehavior.AllowedMethods).toContain('POST');
    const [origin] = config.Origins;
    expect(origin.CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: 'https-only',
      OriginReadTimeout: 60,
    });
    const [header] = origin.OriginCustomHeaders;
    expect(header.HeaderName).toBe('x-steploop-edge');
    expect(JSON.stringify(header.HeaderValue)).toContain('{{resolve:secretsmanager:');
    const { EDGE_SECRET_ID } = stack.fn('agui').properties.Environment.Variables;
    expect(stack.mayDo('agui', 'secretsmanager:GetSecretValue')).toContainEqual(EDGE_SECRET_ID);
    expect(JSON.stringify(stack.template.toJSON().Outputs)).toContain(id);
  });

  test.each<[string, object, string]>([
    ['a regional web ACL', { webAcl: webAcl.replace('global', 'regional') }, 'of the scope CLOUDFRONT'],
    ['a web ACL elsewhere', { webAcl: webAcl.replace('us-east-1', 'eu-central-1') }, 'us-east-1'],
    ['its name', { webAcl: 'agents' }, 'of the scope CLOUDFRONT'],
    [
      'a web ACL on the function URL',
      { webAcl, agui: { access: 'public' } },
      "must be 'cloudfront', not 'public'",
    ],
    ['a web ACL with IAM', { webAcl, agui: { access: 'iam' } }, "must be 'cloudfront', not 'iam'"],
    ['a web ACL without AG-UI', { webAcl, definition: without }, 'protects no HTTP or WebSocket API'],
    ['access without AG-UI', { agui: { access: 'iam' }, definition: without }, 'there is no such address'],
    [
      'half an invocation',
      { concurrency: { agui: 0.5 } },
      'concurrency.agui: must be a whole number of 1 or more',
    ],
    ['another access', { agui: { access: 'vpc' } }, 'agui.access'],
  ])('refuses %s with a sentence', (_, props, sentence) => {
    expect(() => synthesized(props)).toThrow(sentence);
  });
});
