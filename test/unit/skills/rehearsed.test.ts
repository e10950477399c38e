import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { calls, rehearse, says } from '../../../testing/index.ts';
import { bash } from '../../../tools/bash/index.ts';
import { allSkills, writeSkills } from '../../support/skills/index.ts';

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'steploop-skills-'));
  await writeSkills(join(project, 'skills'), allSkills);
});
afterAll(() => rm(project, { recursive: true, force: true }));

const agent = (more: Partial<Parameters<typeof defineAgent>[0]> = {}) =>
  defineAgent({
    name: 'support',
    version: '1',
    model: { name: 'm' },
    system: 'You help.',
    skills: ['refunds', 'two-scripts', 'windows-lines', 'with-bom'],
    ...more,
  });

describe('a rehearsal', () => {
  it('reads the skills of the project', async () => {
    const run = await rehearse(agent(), {
      user: 'Go',
      project,
      model: [
        calls(['skill', { name: 'windows-lines' }]),
        calls(['skill', { name: 'with-bom' }]),
        calls(['skill', { name: 'windows-lines', path: 'notes.txt' }]),
        says('Done.'),
      ],
    });
    const [lines, bom, notes] = run.calls.map(({ content }) => content);
    expect(lines).toContain('\n\n# Something\n\nDo it.\n');
    expect(bom).toContain('\n\n# Something\n\nDo it.\n');
    expect(notes).toBe('a\nb\n');
  });

  it('says which skill is missing or wrong', async () => {
    const playing = (skills: string[]) =>
      rehearse(agent({ skills }), { user: 'Go', project, model: [says('x')] });
    await expect(playing(['refund'])).rejects.toThrow('did you mean refunds?');
    await expect(playing(['no-description'])).rejects.toThrow('description is missing');
  });

  it('gives them to tools that run from the queue', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      where: 'queue',
      input: z.object({}),
      run: async (_, { services: { skills } }) => ({
        names: skills.list().map(({ name }) => name),
        files: await skills.files('refunds'),
        text: new TextDecoder().decode(
          await skills.read('refunds', 'references/../references/exceptions.md'),
        ),
        wrong: await skills.read('refunds', '../x').catch((error: Error) => error.message),
      }),
    });
    const run = await rehearse(agent({ tools: [look] }), {
      user: 'Go',
      project,
      model: [calls(['look', {}]), says('Done.')],
    });
    expect(JSON.parse(String(run.calls[0]?.content))).toMatchObject({
      names: ['refunds', 'two-scripts', 'windows-lines', 'with-bom'],
      files: [{ path: 'SKILL.md' }, { path: 'references/exceptions.md' }, { path: 'scripts/amount.sh' }],
      text: expect.stringContaining('Damaged goods'),
      wrong: expect.stringContaining('leads out of the skill'),
    });
  });
});

describe('the shell', () => {
  const script = async (command: string, more = {}) => {
    const run = await rehearse(agent({ tools: [bash({ timeoutSeconds: 20 })], ...more }), {
      user: 'Go',
      project,
      workspace: { 'a.txt': 'one two\nthree\n' },
      model: [calls(['bash', { command }]), says('Done.')],
    });
    return { ...run, said: String(run.calls[0]?.content) };
  };

  it('runs the scripts of skills over the files of the workspace', async () => {
    const { said } = await script(
      'bash /skills/refunds/scripts/amount.sh 1000 40; bash /skills/two-scripts/scripts/words.sh a.txt; ls /skills',
    );
    expect(JSON.parse(said)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^500\n\s*3\nrefunds\ntwo-scripts\n/),
    });
  });

  it('reads none for a script that names none, and only the ones that it names', async () => {
    expect((await script('ls / | grep skills || echo none')).said).toContain('none');
    expect(JSON.parse((await script('ls -d /skills/refunds; ls /skills/refunds/..')).said)).toMatchObject({
      stdout: '/skills/refunds\nrefunds\n',
    });
  });

  it('keeps nothing of what a script writes there', async () => {
    const run = await script(
      'echo x > /skills/refunds/SKILL.md; cat /skills/refunds/SKILL.md; cp /skills/refunds/SKILL.md b.txt',
    );
    expect(JSON.parse(run.said)).toMatchObject({ stdout: 'x\n' });
    expect(Object.keys(run.files)).toEqual(['a.txt', 'b.txt']);
    expect((await script('head -3 /skills/refunds/SKILL.md')).said).toContain('name: refunds');
  });

  it('asks people first where a policy says so, whatever the skill allows', async () => {
    const policy = definePolicy({ name: 'p', mode: 'auto_safe' });
    const run = await script('bash /skills/refunds/scripts/amount.sh 1 1', { policy });
    expect(run.state).toBe('waiting_for_input');
    expect(run.reason).toBe('awaiting_approval');
  });
});
