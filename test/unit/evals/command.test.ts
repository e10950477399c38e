import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { XMLValidator } from 'fast-xml-parser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EvalProject, evalProject } from '../../support/eval-project.ts';
import { ruleModel, sayText } from '../../support/rule-model.ts';

const template = 'cli/init/template/support';
let project: EvalProject;
const made = () =>
  evalProject({
    [`${template}/agents`]: 'agents',
    [`${template}/evals`]: 'evals',
    [`${template}/steploop.config.ts`]: 'steploop.config.ts',
  });

describe('steploop eval, in a project that steploop init created', { timeout: 120_000 }, () => {
  beforeEach(() => {
    project = made();
  });
  afterEach(() => project[Symbol.dispose]());

  it('prints a table, and plain progress lines without a terminal', async () => {
    const { code, stdout, stderr } = await project.steploop(['eval']);
    expect(stdout).toMatch(/^case +result/);
    expect(stdout).toMatch(/^support \/ says where an order is +passed +1\.00/m);
    expect(stdout).toContain('2 of 2 cases passed');
    expect(stdout).toContain('There is no baseline yet');
    expect(stderr.split('\n').sort().slice(1)).toEqual([
      'passed  support / says so when there is no such order',
      'passed  support / says where an order is',
    ]);
    for (const redraw of ['\r', '\u001b']) expect(stdout + stderr).not.toContain(redraw);
    expect(code).toBe(0);
  });

  it('keeps each run, and prints the last ones without playing anything', async () => {
    await project.steploop(['eval']);
    await project.steploop(['eval', '--filter', 'no such order']);
    const { code, stdout, stderr } = await project.steploop(['eval', '--history']);
    expect(stdout).toMatch(/^\+\. +1\.00 .* support \/ says where an order is$/m);
    expect(stdout).toMatch(/^\+\+ +1\.00 .* support \/ says so when there is no such order$/m);
    expect(stdout).toContain('2 runs are kept');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('reports a wrong case with a sentence and its place', async () => {
    project.edit('evals/support.eval.ts', 'user:', 'usr:');
    const { code, stdout, stderr } = await project.steploop(['eval']);
    expect(stderr).toMatch(/^evals\/support\.eval\.ts:\d+:\d+: eval support: cases\.0\.user: must be/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('ends cleanly with partial results when it is interrupted, and writes no partial baseline', async () => {
    let asked: () => void = () => {};
    const second = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await using model = await ruleModel(({ n }) =>
      n === 1
        ? sayText('It was sent.')
        : () => {
            asked();
            return new Promise(() => {});
          },
    );
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.url };
    const { code, stdout, stderr } = await project.steploop(
      ['eval', '--concurrency', '1', '--accept'],
      env,
      (child) => void second.then(() => child.kill('SIGINT')),
    );
    expect(stdout).toMatch(/^support \/ says where an order is +failed/m);
    expect(stdout).toContain('It was interrupted: 1 case of 2 was not played to the end.');
    expect(stderr).toContain('Nothing was kept as the baseline');
    expect(code).toBe(130);
  });

  it('keeps no baseline of a run whose model server refuses', async () => {
    const refuses = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'no such key' } }),
      );
    });
    await new Promise<void>((resolve) => refuses.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(refuses.address() as AddressInfo).port}`;
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url };
    const { code, stderr } = await project.steploop(['eval', '--accept'], env);
    refuses.close();
    expect(stderr).toContain('Nothing was kept as the baseline, since "support / ');
    expect(stderr).toContain('no such key');
    expect(() => project.read('evals/baseline.json')).toThrow('ENOENT');
    expect(code).toBe(1);
  });

  it('stops when its dollar limit is reached', async () => {
    await using model = await ruleModel(() => sayText('Your order was sent.'));
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.url };
    project.edit('evals/support.eval.ts', /trajectory\(\[\['lookup_order'.*?\]\), /, '');
    const { code, stdout } = await project.steploop(
      ['eval', '--concurrency', '1', '--max-usd', '0.000001'],
      env,
    );
    expect(stdout).toContain('It stopped at --max-usd: 1 case of 2');
    expect(code).toBe(3);
  });
});

describe('steploop eval record', { timeout: 120_000 }, () => {
  const input = '{"orderId":"1001"}';
  const toolCalls = [{ id: 'c1', type: 'function', function: { name: 'lookup_order', arguments: input } }];
  const answers: Record<string, unknown> = {
    '/sessions/s1': { sessionId: 's1', agent: 'support', state: 'completed', reason: 'completed', waits: [] },
    '/sessions/s1/messages': {
      messages: [
        { id: '1', role: 'user', content: 'Where is it?' },
        { id: '2', role: 'assistant', toolCalls },
        { id: '3', role: 'tool', toolCallId: 'c1', content: '{"state":"lost"}' },
        { id: '4', role: 'assistant', content: 'It is lost.' },
      ],
    },
    '/sessions/s1/feedback': { feedback: [] },
    '/sessions/s1/steps': { steps: [{ calls: [{ id: 'c1', name: 'lookup_order', outcome: 'ok' }] }] },
    '/sessions/s2': { sessionId: 's2', agent: 'support', state: 'running', waits: [] },
    '/sessions/s2/messages': { messages: [] },
    '/sessions/s2/steps': { steps: [] },
    '/sessions/s2/feedback': { feedback: [] },
  };
  const server = createServer((request, response) => {
    const found = answers[new URL(request.url ?? '/', 'http://x').pathname];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { type: 'about:blank', title: 'No such session', status: 404 }));
  });
  let env: Record<string, string>;
  beforeAll(async () => {
    project = made();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    env = { STEPLOOP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, STEPLOOP_TOKEN: 't' };
  });
  afterAll(() => {
    project[Symbol.dispose]();
    server.close();
  });
  const record = (...args: string[]) => project.steploop(['eval', 'record', ...args], env);

  it('writes a case that passes at once, and overwrites nothing', async () => {
    const { code, stdout } = await record('s1', '--name', 'lost');
    expect(stdout).toContain('evals/lost.eval.ts: 1 message, 1 result of tools.');
    expect(stdout).toContain('It passes with its script.');
    expect(code).toBe(0);
    const text = project.read('evals/lost.eval.ts');
    expect(text).toContain('says("It is lost.")');
    const again = await record('s1', '--name', 'lost');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
    expect(project.read('evals/lost.eval.ts')).toBe(text);
  });

  it('writes nothing for a session that is running', async () => {
    const { code, stderr } = await record('s2');
    expect(stderr).toContain('The session s2 is not at rest');
    expect(code).toBe(1);
  });
});

describe('steploop eval of the triage agent', { timeout: 120_000 }, () => {
  const some = ['--filter', 'a crash', '--scripted'];
  beforeAll(() => {
    project = evalProject({ 'agents/triage': 'agents/triage', evals: 'evals' });
    project.write(
      'steploop.config.ts',
      `import { defineDeployment } from 'steploop';
      import { triage } from './agents/triage/agent.ts';
      const description = 'x';
      export default defineDeployment({
        agents: [triage],
        settings: { GITHUB_API_URL: { description } },
        secrets: { GITHUB_TOKEN: { description } },
      });`,
    );
  });
  afterAll(() => project[Symbol.dispose]());

  it('finds no regression against the baseline, and writes JSON and JUnit XML', async () => {
    const { code, stdout } = await project.steploop(['eval', ...some, '--json', '--junit', 'out/junit.xml']);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      version: 1,
      scripted: true,
      regressions: [],
      unplayed: [],
      scoringUsd: 0,
    });
    expect(document.cases).toHaveLength(4);
    expect(document.cases[0]).toMatchObject({
      id: 'triage / a crash',
      passed: true,
      before: { passed: true, score: 1 },
      plays: [
        {
          state: 'completed',
          steps: 5,
          calls: expect.arrayContaining([{ name: 'get_issue', input: expect.anything(), outcome: 'ok' }]),
        },
      ],
    });
    const xml = project.read('out/junit.xml');
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml).toContain('<testsuite name="triage" tests="4" failures="0"');
    expect(code).toBe(0);
  });

  it('exits with 1 when its instruction was made worse, until that is accepted', async () => {
    project.edit('agents/triage/agent.ts', ', and search for similar issues', '');
    const { code, stdout } = await project.steploop(['eval', ...some]);
    expect(stdout).toMatch(
      /^triage \/ a crash +worse +0\.\d\d +1\.00 .*It passed before\. trajectory: Expected search_iss/m,
    );
    expect(stdout).toContain('4 cases are worse than in evals/baseline.scripted.json.');
    expect(code).toBe(1);
    const accepted = await project.steploop(['eval', ...some, '--accept']);
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('Kept as the baseline') });
    expect(JSON.parse(project.read('evals/baseline.scripted.json')).cases).toMatchObject({
      'triage / a crash': { passed: false },
      'triage / a wish': { passed: true },
    });
  });
});
