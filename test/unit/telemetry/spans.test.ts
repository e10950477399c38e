import { describe, expect, test } from 'vitest';
import { tracesBody } from '../../../shared/telemetry/otlp.ts';
import { type Exported, exportOf } from '../../../shared/telemetry/spans.ts';
import { runSpanId, traceIdOf } from '../../../shared/telemetry/trace-ids.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

async function exportedBy(world: SessionWorld, withContent = false): Promise<Exported[]> {
  await world.say('Words of the person.');
  await world.settle();
  return world.meter.steps.map((report, i) => {
    const trace = world.meter.traces[i];
    if (!trace) throw new Error('a step without a trace');
    return exportOf(report, trace, withContent);
  });
}

const named = (all: readonly Exported[], start: string) =>
  all.flatMap(({ spans }) => spans.filter(({ name }) => name.startsWith(start)));

const key = { tenant: 'acme', sessionId: 's1' };

describe('spans of a run', () => {
  test('are one trace: the run, its steps, and in each its model call and its tool calls, with their times', async () => {
    let world: SessionWorld | undefined;
    const slow = tool('slow', () => world?.clock.sleep(700));
    world = await sessionWorld({ tools: [slow] }, scriptedModel(calls(['slow', {}]), says('Done.')));
    const all = await exportedBy(world);
    const spans = all.flatMap((one) => one.spans);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(key, 's1-0')]));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(traceIdOf(key, 's1-0')).toMatch(/^[0-9a-f]{32}$/);

    const [run] = named(all, 'invoke_agent test');
    expect(run?.spanId).toBe(runSpanId(key, 's1-0'));
    const [first, second] = named(all, 'step ');
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual([run?.spanId, run?.spanId]);
    const [call] = named(all, 'execute_tool slow');
    expect(call?.parentSpanId).toBe(first?.spanId);
    expect(call && call.endMs - call.startMs).toBe(700);
    const [chat] = named(all, 'chat test-model');
    expect(chat?.parentSpanId).toBe(first?.spanId);
    expect(call && chat && call.startMs >= chat.endMs).toBe(true);
    for (const { startMs, endMs } of spans) {
      expect(startMs).toBeGreaterThanOrEqual(run?.startMs ?? Number.NaN);
      expect(endMs).toBeLessThanOrEqual(run?.endMs ?? Number.NaN);
    }
  });

  test('of another tenant with a session of the same id are another trace', () => {
    expect(traceIdOf({ ...key, tenant: 'other' }, 's1-0')).not.toBe(traceIdOf(key, 's1-0'));
  });

  test('show failures: a call, a retried model, and no text', async () => {
    const breaks = tool('breaks', () => {
      throw new Error('Words of the tool.');
    });
    const world = await sessionWorld(
      { tools: [breaks] },
      scriptedModel(fails(), calls(['breaks', {}], ['made_up_words', {}]), says('Words of the model.')),
    );
    const all = await exportedBy(world);
    const [, broken, unknown] = [undefined, ...named(all, 'execute_tool ')];
    expect(broken).toMatchObject({ name: 'execute_tool breaks', attributes: { 'error.type': 'failed' } });
    expect(unknown?.name).toBe('execute_tool unknown');
    const [failed] = named(all, 'chat ');
    expect(failed?.error).toBeDefined();
    const [step] = named(all, 'step ');
    expect(step?.events).toMatchObject([
      { name: 'steploop.retry', attributes: { 'error.type': failed?.error } },
    ]);
    expect(JSON.stringify(all)).not.toMatch(/Words of the|made_up_words/);
  });

  test('have the text if that is enabled', async () => {
    const look = tool('look', () => 'Words of the tool.');
    const world = await sessionWorld(
      { tools: [look] },
      scriptedModel(calls(['look', {}]), says('Words of the model.')),
    );
    const said = JSON.stringify(await exportedBy(world, true));
    for (const who of ['person', 'tool', 'model']) expect(said).toContain(`Words of the ${who}.`);
  });

  test('of an attempt after a death say so, and those of the dead one are missing', async () => {
    const world = await sessionWorld(
      {},
      scriptedModel(() => world.kill(), says('Done.')),
    );
    const all = await exportedBy(world);
    expect(named(all, 'step ')).toMatchObject([
      { attributes: { 'steploop.attempt': 2 }, events: [{ name: 'steploop.taken_over' }] },
    ]);
  });

  test('add up: tokens of the calls are those of the run, cached ones in the input', async () => {
    const world = await sessionWorld(
      { tools: [tool('look', () => 'ok')] },
      scriptedModel(calls(['look', {}]), says('Done.')),
    );
    const all = await exportedBy(world);
    const { totals } = (await world.view()).session;
    const sum = (of: readonly { attributes: Readonly<Record<string, unknown>> }[], name: string) =>
      of.reduce((total, { attributes }) => total + Number(attributes[name]), 0);
    const whole = totals.input + totals.cacheRead + totals.cacheWrite;
    expect(whole).toBeGreaterThan(0);
    for (const of of [named(all, 'chat '), named(all, 'invoke_agent ')]) {
      expect(sum(of, 'gen_ai.usage.input_tokens')).toBe(whole);
      expect(sum(of, 'gen_ai.usage.output_tokens')).toBe(totals.output);
    }
    const counted = all.flatMap(({ observations }) => observations);
    expect(
      counted
        .filter(({ attributes }) => attributes['gen_ai.token.type'] === 'input')
        .reduce((total, { value }) => total + value, 0),
    ).toBe(whole);
    for (const { attributes } of counted)
      expect(Object.keys(attributes).join()).not.toMatch(/tenant|conversation/);
  });
});

test('OTLP has large numbers as text, kinds of spans and a status, and leaves out undefined values', () => {
  const body = tracesBody(
    [
      {
        ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'chat m', kind: 'client' },
        ...{ startMs: 1_700_000_000_123, endMs: 1_700_000_000_124.4, error: 'overloaded' },
        attributes: { n: 3, usd: 0.25, yes: true, list: ['a'], none: undefined },
      },
    ],
    { 'service.name': 's', 'cloud.region': undefined },
  );
  expect(body).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 's' } }] },
        scopeSpans: [
          {
            scope: { name: 'steploop' },
            spans: [
              {
                traceId: 'a'.repeat(32),
                spanId: 'b'.repeat(16),
                name: 'chat m',
                kind: 3,
                startTimeUnixNano: '1700000000123000000',
                endTimeUnixNano: '1700000000124000000',
                attributes: [
                  { key: 'n', value: { intValue: '3' } },
                  { key: 'usd', value: { doubleValue: 0.25 } },
                  { key: 'yes', value: { boolValue: true } },
                  { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }] } } },
                ],
                events: [],
                status: { code: 2, message: 'overloaded' },
              },
            ],
          },
        ],
      },
    ],
  });
});
