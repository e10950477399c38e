/**
 * The cost of the forms of tools in a step: `npm run bench:forms`.
 *
 * A step makes the tools of its session from what is pinned, reads a reply's call, and checks its arguments. That part runs over
 * 128 tools of a source: once all are sound, so that a form is the schema itself; once all are odd, with a choice at the root and
 * a key that no server accepts, so that the call is mapped back and checked by a schema that differs from the one that the model
 * sees. The difference is shown next to the CPU of a whole step in memory. Forms are made once, when a session's first step lists
 * its tools: that is the last line.
 *
 * The ratio is what counts; milliseconds are this machine's.
 */

import { defineAgent, defineToolSource, type JsonSchema } from '../shared/agent/define/index.ts';
import type { Reply } from '../shared/agent/session/reply.ts';
import { noUsage } from '../shared/agent/session/session.ts';
import { readListing } from '../shared/agent/tools/declarations.ts';
import { loadReaders } from '../shared/agent/tools/json-schema.ts';
import { readCalls } from '../shared/agent/tools/read-calls.ts';
import { toolsOf } from '../shared/agent/tools/toolset.ts';
import { optionsOf, whole } from '../test/support/command-line.ts';
import { agentWorld } from '../testing/agent-world.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';

const HELP = `npm run bench:forms -- [options]

  --steps N   steps of the session whose whole steps are measured (60)
  --smoke     3 steps and one round: whether it works, not how fast it is`;

const option = optionsOf(HELP, {
  steps: { type: 'string', default: '60' },
  smoke: { type: 'boolean', default: false },
});
const steps = option.smoke ? 3 : whole('steps', option.steps);
const TOOLS = 128;
const ROUNDS = option.smoke ? 1 : 7;
const REPEATS = option.smoke ? 2 : 50;

const text = { type: 'string', description: 'Some words.' };
const fields = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`field_${n}`, text]));
const soundInput: JsonSchema = { type: 'object', properties: { id: text, ...fields }, required: ['id'] };
const oddInput: JsonSchema = {
  anyOf: [
    { type: 'object', properties: { 'id<': text, ...fields }, required: ['id<'] },
    { type: 'object', properties: { 'key<': text, ...fields }, required: ['key<'] },
  ],
};

const listed = (input: JsonSchema) =>
  Array.from({ length: TOOLS }, (_, n) => ({
    name: `tool_${n}`,
    description: `Does number ${n}.`,
    input,
    effect: 'read' as const,
  }));

/** CPU in ms of one step of a session with these tools, after its first. */
async function step(input: JsonSchema, key: string): Promise<number> {
  const agent = defineAgent({
    name: 'bench',
    version: '1',
    model: { name: 'm' },
    system: 'You work.',
    limits: { maxSteps: steps + 10 },
    guardrails: { loop: { enabled: false } },
    toolSources: [defineToolSource({ name: 'src', list: () => listed(input), get: () => () => 'ok' })],
  });
  const work = Array.from({ length: steps }, (_, n) => calls([`src__tool_${n % TOOLS}`, { [key]: `n${n}` }]));
  const world = agentWorld(agent, scriptedModel(says('Hello.'), ...work, says('Done.')));
  await world.say('Hello.');
  await world.settle();
  await world.say('Go.');
  const before = process.cpuUsage();
  await world.settle(10 * steps);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (steps + 1);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The key that the model sees for `id<`. */
async function keyOfForm(): Promise<string> {
  const read = readListing({ name: 'src' }, listed(oddInput).slice(0, 1), [], await loadReaders());
  const [told] = read.kind === 'read' ? read.tools : [];
  return Object.keys(told?.keys ?? {})[0] ?? '';
}

const readers = await loadReaders();
const agent = {
  tools: [],
  toolSources: [defineToolSource({ name: 'src', list: () => [], get: () => () => 'ok' })],
};

/** CPU in ms of a step's work with its tools. */
async function part(input: JsonSchema, key: string): Promise<number> {
  const read = readListing({ name: 'src' }, listed(input), [], readers);
  if (read.kind === 'wrong') throw new Error(read.why);
  const pinned = { tools: read.tools, sources: { src: read.source } };
  const block = { type: 'tool_use', id: 'c1', name: 'src__tool_7', input: { [key]: 'x' } };
  const call = { id: 'c1', name: block.name, input: block.input };
  const reply = {
    model: 'm',
    stop: 'tool_use',
    content: [block],
    calls: [call],
    usage: noUsage,
  } as unknown as Reply;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < REPEATS; n++) {
      const tools = await toolsOf(agent, pinned);
      const [asked] = readCalls(reply, pinned).calls;
      const tool = tools.find(({ name }) => name === asked?.name);
      if (!tool?.input.safeParse(asked?.input).success) throw new Error('the call does not fit');
    }
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000 / REPEATS);
  }
  return median(times);
}

const key = await keyOfForm();
await part(soundInput, 'id');
const [without, withForms] = [await part(soundInput, 'id'), await part(oddInput, key)];
await step(soundInput, 'id');
const wholeStep = await step(soundInput, 'id');
const begun = process.cpuUsage();
for (let round = 0; round < ROUNDS; round++) readListing({ name: 'src' }, listed(oddInput), [], readers);
const { user, system } = process.cpuUsage(begun);
const more = withForms - without;
console.log(`${TOOLS} tools, CPU, median of ${ROUNDS} rounds`);
console.log(`sound tools   ${without.toFixed(3)} ms of a step`);
console.log(`odd tools     ${withForms.toFixed(3)} ms of a step, ${more.toFixed(3)} ms more`);
console.log(
  `a whole step  ${wholeStep.toFixed(2)} ms; with forms ${((wholeStep + more) / wholeStep).toFixed(3)} times that`,
);
console.log(`the listing   ${((user + system) / 1_000 / ROUNDS).toFixed(1)} ms, once in a session`);
