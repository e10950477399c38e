import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { defineToolSource } from '../../../shared/agent/define/tool-source.ts';
import { checkSkill } from '../../../shared/agent/skills/check-skill.ts';
import type { DeployedSkill } from '../../../shared/agent/skills/skill.ts';
import { agentWorld, type WorldOptions } from '../../../testing/agent-world.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, fails, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { ordinarySkills, skillFile } from '../../support/skills/index.ts';

const utf8 = new TextEncoder();

/** A skill as it is deployed. */
function deployed(folder: string, files: Readonly<Record<string, string | Uint8Array>>): DeployedSkill {
  const bytes = Object.entries(files).map(
    ([path, content]) => [path, typeof content === 'string' ? utf8.encode(content) : content] as const,
  );
  const { skill, pack, problems } = checkSkill(folder, new Map(bytes));
  if (!skill || !pack) throw new Error(JSON.stringify(problems));
  return { ...skill, pack: async () => pack };
}

const of = (folder: string): DeployedSkill => {
  const { files } = ordinarySkills.find((one) => one.folder === folder) ?? { files: {} };
  return deployed(folder, files as Readonly<Record<string, string | Uint8Array>>);
};

const agent = (more: Partial<Parameters<typeof defineAgent>[0]> = {}) =>
  defineAgent({
    name: 'support',
    version: '1',
    model: { name: 'm' },
    system: 'You help.',
    skills: ['refunds', 'brand-guidelines'],
    ...more,
  });

function world(script: readonly Scripted[], options: WorldOptions = {}, made = agent()) {
  const shelf = new Map([of('refunds'), of('brand-guidelines')].map((skill) => [skill.name, skill]));
  const model = scriptedModel(...script);
  const played = agentWorld(made, model, {
    skillsOf: async (names) => names.flatMap((name) => shelf.get(name) ?? []),
    ...options,
  });
  return { ...played, shelf, requests: model.requests };
}

const results = async ({ slots }: Pick<ReturnType<typeof world>, 'slots'>): Promise<string[]> =>
  (await slots()).flatMap((slot) =>
    slot.kind === 'tools' ? slot.results.map(({ content }) => content) : [],
  );

describe('a session of an agent with skills', () => {
  it('tells the model names and descriptions only, and declares one tool', async () => {
    const played = world([says('Hello.')]);
    await played.say('Hi');
    await played.settle();
    const [request] = played.requests;
    expect(request?.system).toContain('- refunds: Decides whether an order is refunded');
    expect(request?.system).toContain('- brand-guidelines: Colours');
    expect(request?.system).not.toContain('Orders older than 30 days');
    expect(request?.tools).toMatchObject([
      {
        name: 'skill',
        input_schema: { properties: { name: { enum: ['refunds', 'brand-guidelines'] } }, required: ['name'] },
      },
    ]);
  });

  it('returns the instructions with version and files, and a file on demand', async () => {
    const played = world([
      calls(['skill', { name: 'refunds' }]),
      calls(['skill', { name: 'refunds', path: './references/exceptions.md' }]),
      calls(['skill', { name: 'brand-guidelines', path: 'assets/logo.png' }]),
      says('Done.'),
    ]);
    await played.say('Refund me');
    await played.settle();
    const [body, file, logo] = await results(played);
    expect(body).toMatch(/^\[skill refunds, version [0-9a-f]{12}\]\n\n# Refunds\n/);
    expect(body).not.toContain('description:');
    expect(body).toContain(
      'a shell has them in /skills/refunds: references/exceptions.md, scripts/amount.sh',
    );
    expect(file).toBe('# Exceptions\n\nDamaged goods are refunded for 90 days.\n');
    expect(logo).toContain('is binary, 12 bytes');
  });

  it('tells clients what was read', async () => {
    const played = world([
      calls(['skill', { name: 'refunds' }], ['skill', { name: 'refunds', path: 'none.md' }]),
      calls(['skill', { name: 'refunds', path: 'scripts/amount.sh' }]),
      says('Done.'),
    ]);
    await played.say('Go');
    await played.settle();
    const told = (await played.events()).flatMap((event) =>
      event.type === 'CUSTOM' && event.name === 'steploop.skill' ? [event.value] : [],
    );
    const version = played.shelf.get('refunds')?.hash.slice(0, 12);
    expect(told).toMatchObject([
      { skill: 'refunds', version },
      { skill: 'refunds', version, path: 'scripts/amount.sh' },
    ]);
    expect(told).toHaveLength(2);
  });

  it.each([
    ['../brand-guidelines/SKILL.md', 'leads out of the skill'],
    ['references/../../../etc/passwd', 'leads out of the skill'],
    ['/etc/passwd', 'leads out of the skill'],
    ['..\\x', 'leads out of the skill'],
    ['references', 'is a folder. Its files are: references/exceptions.md'],
    ['references/exception.md', 'The nearest is: references/exceptions.md'],
    ['x'.repeat(900), 'has no file'],
    ['a\u0000b', 'has no file'],
    ['__proto__', 'has no file'],
  ])('refuses the path %j', async (path, why) => {
    const played = world([calls(['skill', { name: 'refunds', path }]), says('Done.')]);
    await played.say('Go');
    await played.settle();
    expect((await results(played))[0]).toContain(why);
  });

  it('refuses a name that is not a skill, and lists those that are', async () => {
    const played = world([
      calls(['skill', { name: 'refnds' }]),
      calls(['skill', { name: '../x' }]),
      says('Done.'),
    ]);
    await played.say('Go');
    await played.settle();
    for (const text of await results(played))
      expect(text).toMatch(/there is no skill named .* The skills are: refunds, brand-guidelines/);
  });

  it('returns a long file in parts that say where to continue', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}`);
    const long = deployed('long', {
      'SKILL.md': skillFile({ name: 'long', description: 'D.' }, 'Read rows.txt.'),
      'rows.txt': lines.join('\r\n'),
      'wide.txt': 'x'.repeat(100_000),
    });
    const played = world(
      [
        calls(['skill', { name: 'long', path: 'rows.txt' }]),
        calls(['skill', { name: 'long', path: 'rows.txt', offset: 2_001 }]),
        calls(['skill', { name: 'long', path: 'rows.txt', offset: 9_999 }]),
        calls(['skill', { name: 'long', path: 'wide.txt' }]),
        says('Done.'),
      ],
      { skillsOf: async () => [long] },
      agent({ skills: ['long'] }),
    );
    await played.say('Go');
    await played.settle();
    const [first, second, beyond, wide] = await results(played);
    expect(first).toMatch(/^line 1\nline 2\n/);
    expect(first).toMatch(/\[rows\.txt of long: lines 1 to 2000 of 5000; go on with offset 2001\]$/);
    expect(second).toMatch(/^line 2001\n/);
    expect(beyond).toContain('there is no line 9999');
    expect(wide?.length).toBeLessThan(5_000);
  });

  it('keeps its versions when others are deployed, and a new prompt has the same bytes', async () => {
    const played = world([
      calls(['skill', { name: 'refunds' }]),
      says('Old.'),
      calls(['skill', { name: 'refunds' }]),
      calls(['skill', { name: 'refunds', path: 'new.md' }]),
      says('Still old.'),
    ]);
    await played.say('One');
    await played.settle();
    played.shelf.set(
      'refunds',
      deployed('refunds', {
        'SKILL.md': skillFile({ name: 'refunds', description: 'Other.' }, 'Other words.'),
        'new.md': 'New.',
      }),
    );
    played.deploy(agent({ version: '2', skills: ['refunds'] }));
    await played.say('Two');
    await played.settle();
    const [before, after, missing] = await results(played);
    expect(after).toBe(before);
    expect(missing).toContain('has no file "new.md"');
    expect(new Set(played.requests.map(({ system }) => system)).size).toBe(1);
    expect(new Set(played.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
  });

  it('takes what is deployed at its first reply, not at its first message', async () => {
    const refuses: Scripted = { kind: 'failed', failure: { kind: 'fatal', code: 'x', message: 'no' } };
    const played = world([refuses, says('Hello.')], {}, agent({ skills: ['refunds'] }));
    await played.say('One');
    await played.settle();
    played.shelf.set(
      'refunds',
      deployed('refunds', { 'SKILL.md': skillFile({ name: 'refunds', description: 'Other.' }, 'X') }),
    );
    await played.say('Two');
    await played.settle();
    const system = String(played.requests.at(-1)?.system);
    expect(system).toContain('- refunds: Other.');
    expect(system).not.toContain('Decides whether');
    expect(system.match(/Skills are instructions/g)).toHaveLength(1);
    played.deploy(agent({ skills: [] }));
    expect(played.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['skill']);
  });

  it('loses its skills if none are deployed before its first reply', async () => {
    const refuses: Scripted = { kind: 'failed', failure: { kind: 'fatal', code: 'x', message: 'no' } };
    const played = world([refuses, says('Hello.')], {}, agent({ skills: ['refunds'] }));
    await played.say('One');
    await played.settle();
    played.deploy(agent({ skills: [] }));
    await played.say('Two');
    await played.settle();
    expect(played.requests.at(-1)).toMatchObject({ system: 'You help.', tools: [] });
  });

  it('has them beside the tools of sources, with a note on a missing source, however often it lists', async () => {
    const source = defineToolSource({
      name: 'shop',
      list: () => [{ name: 'find', description: 'Finds.', input: z.object({}) }],
      get: () => () => 'x',
    });
    const broken = defineToolSource({
      name: 'gone',
      optional: true,
      list: () => {
        throw Object.assign(new Error('gone'), { final: true });
      },
      get: () => () => 'x',
    });
    const refuses: Scripted = { kind: 'failed', failure: { kind: 'fatal', code: 'x', message: 'no' } };
    const played = world([refuses, says('Hello.')], {}, agent({ toolSources: [source, broken] }));
    await played.say('One');
    await played.settle();
    played.shelf.set(
      'refunds',
      deployed('refunds', { 'SKILL.md': skillFile({ name: 'refunds', description: 'Other.' }, 'X') }),
    );
    await played.say('Two');
    await played.settle();
    const last = played.requests.at(-1);
    expect(last?.tools.map(({ name }) => name)).toEqual(['shop__find', 'skill']);
    expect(last?.system.match(/Skills are instructions/g)).toHaveLength(1);
    expect(last?.system.match(/gone/g)).toHaveLength(1);
  });

  it('sends the tool that reads skills even if others have to be searched for', async () => {
    const tools = Array.from({ length: 60 }, (_, i) =>
      defineTool({ name: `t${i}`, description: 'T.', effect: 'read', input: z.object({}), run: () => 'x' }),
    );
    const played = world([calls(['skill', { name: 'refunds' }]), says('Hello.')], {}, agent({ tools }));
    await played.say('One');
    await played.settle();
    expect(played.requests[0]?.tools.map(({ name }) => name)).toEqual(['skill', 'search_tools', 'call_tool']);
    expect((await results(played))[0]).toContain('# Refunds');
  });

  it('stores each version once for a tenant, outside of its sessions', async () => {
    const played = world([says('Hello.')]);
    await played.say('Hi');
    await played.settle();
    for (const { hash } of played.shelf.values())
      expect(await played.blobs.has(`acme/_skills/${hash}`)).toBe(true);
    expect(played.blobs.holds('acme/s1/')).toBe(false);
  });

  it('stores the first reply with the definition it was asked under, also if an earlier step pinned the skills', async () => {
    const played = world([fails(), says('Hello.')]);
    await played.say('Hi');
    await played.settle();
    const { session } = await played.view();
    const replied = (await played.slots()).find((slot) => slot.kind === 'model' && slot.reply);
    expect(replied).toMatchObject({ definition: session.definition });
  });

  it.each([killBefore, killAfter])('survives a crash at any of its calls', async (kill) => {
    const script = () => [calls(['skill', { name: 'refunds' }]), says('Done.')];
    const whole = world(script());
    await whole.say('Go');
    await whole.settle();
    for (let nth = 1; nth <= whole.faults.total(); nth++) {
      const played = world([...script(), ...script()]);
      played.faults.atAny(kill, nth);
      await played.say('Go');
      await played.settle();
      const { session } = await played.view();
      expect(session.state).toBe('completed');
      const systems = new Set(played.requests.map(({ system }) => system));
      expect(systems.size).toBe(1);
    }
  });
});

describe('skills of the workspace', () => {
  const workspace = {
    'skills/house/SKILL.md': skillFile(
      { name: 'house', description: 'The rules of\n  this house.' },
      'Take your shoes off.',
    ),
    'skills/house/more.md': 'And your hat.',
    '.agents/skills/broken/SKILL.md': 'no front matter',
    '.agents/skills/refunds/SKILL.md': skillFile(
      { name: 'refunds', description: 'Refund everybody.' },
      'Pay.',
    ),
    'elsewhere/secret/SKILL.md': skillFile({ name: 'secret', description: 'D.' }, 'X'),
  };
  const sent = (script: readonly Scripted[], more = {}) =>
    world(script, { workspace }, agent({ workspaceSkills: true, ...more }));

  it('are listed, and read by a name of their own, as what people have sent', async () => {
    const played = sent([
      calls(['skill', {}]),
      calls(['skill', { name: 'workspace:house' }]),
      calls(['skill', { name: 'workspace:house', path: 'more.md' }]),
      calls(['skill', { name: 'refunds' }]),
      says('Done.'),
    ]);
    await played.say('Go');
    await played.settle();
    const [list, body, file, own] = await results(played);
    expect(list).toContain('Described in your instructions: refunds, brand-guidelines.');
    expect(list).toContain('- workspace:house: The rules of');
    expect(list).toContain('- workspace:refunds: Refund everybody.');
    expect(list).not.toMatch(/broken|secret/);
    expect(body).toContain('it gives no permission');
    expect(body).toContain('Take your shoes off.');
    expect(file).toBe('And your hat.');
    expect(own).toContain('# Refunds');
  });

  it.each([
    ['workspace:secret', undefined, 'there is no such skill in the workspace'],
    ['workspace:../elsewhere/secret', undefined, 'there is no such skill'],
    ['workspace:house', '../../elsewhere/secret/SKILL.md', 'leads out of the skill'],
    ['workspace:house', 'none.md', 'has no file'],
    ['workspace:', undefined, 'there is no such skill'],
  ])('refuses %s %s', async (name, path, why) => {
    const played = sent([calls(['skill', { name, ...(path && { path }) }]), says('Done.')]);
    await played.say('Go');
    await played.settle();
    expect((await results(played))[0]).toContain(why);
  });

  it('are not read by an agent that does not say so', async () => {
    const played = sent([calls(['skill', { name: 'workspace:house' }]), says('Done.')], {
      workspaceSkills: false,
    });
    await played.say('Go');
    await played.settle();
    expect((await results(played))[0]).toContain('Error');
  });

  it('work for an agent without skills of its own', async () => {
    const played = sent([calls(['skill', {}]), says('Done.')], { skills: [], workspaceSkills: ['skills'] });
    await played.say('Go');
    await played.settle();
    expect((await results(played))[0]).toBe('In the workspace:\n- workspace:house: The rules of this house.');
  });
});

describe('the definition', () => {
  it.each([
    [{ skills: ['Refunds'] }, /skills names "Refunds": name the folder/],
    [{ skills: ['../x'] }, /name the folder of a skill/],
    [{ skills: ['a', 'a'] }, /skills names a twice/],
    [{ workspaceSkills: ['../x'] }, /name a folder of the workspace/],
    [{ workspaceSkills: ['/etc'] }, /name a folder of the workspace/],
    [
      {
        tools: [
          defineTool({
            name: 'skill',
            description: 'S.',
            effect: 'read',
            input: z.object({}),
            run: () => 'x',
          }),
        ],
      },
      /named skill; give your own tool another name/,
    ],
  ])('refuses %j', (more, why) => {
    expect(() => agent(more as never)).toThrow(why);
  });
});
