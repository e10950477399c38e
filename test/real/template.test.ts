import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { Steploop } from '../../infra/steploop.ts';
import { quickApp } from '../infra/synthesized.fixture.ts';
import { variants } from '../infra/variants.fixture.ts';
import { here } from '../support/real/here.ts';

/** CloudFormation’s own schemas of resources, as cfn-lint ships them: https://github.com/aws-cloudformation/cfn-lint */

const lint = here('lint');

interface Finding {
  readonly Level: string;
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Location: { readonly Path: readonly (string | number)[] | null };
}

/** The errors in a template, each on one line. */
async function errorsIn(template: object): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-lint-'));
  const file = join(folder, 'template.json');
  await writeFile(file, JSON.stringify(template));
  try {
    const args = ['--format', 'json', '--regions', 'us-east-1', '--non-zero-exit-code', 'none', '--', file];
    const { stdout } = await promisify(execFile)(lint ?? '', args, { maxBuffer: 64 * 1024 * 1024 });
    const found: readonly Finding[] = JSON.parse(stdout);
    return found
      .filter(({ Level }) => Level === 'Error')
      .map(({ Rule, Message, Location }) => `${Rule.Id} ${Location.Path?.join('.')}: ${Message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.skipIf(!lint).each(variants)('cfn-lint finds no error in a deployment %s', async (_, props, where) => {
  const stack = new Stack(quickApp(), 'Somebody', where);
  new Steploop(stack, 'Agents', { definition: 'steploop.config.ts', ...props(stack) });
  expect(await errorsIn(Template.fromStack(stack).toJSON())).toEqual([]);
});

test.skipIf(!lint)('cfn-lint still finds a wrong value', async () => {
  const Queue = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 'soon' } };
  expect(await errorsIn({ Resources: { Queue } })).toEqual([expect.stringContaining('VisibilityTimeout')]);
});
