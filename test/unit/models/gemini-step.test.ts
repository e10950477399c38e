import { describe, expect, test } from 'vitest';
import { call, error, generated, signature, text, thought } from '../../support/gemini-events.ts';
import { httpSession } from '../../support/http-session.ts';
import { message, text as messageText, toolUse } from '../../support/model-events.ts';
import { laxly, modelServer, reply, status } from '../../support/model-server.ts';
import { servedWorld } from '../../support/served-world.ts';
import { ending, tool } from '../step/reading.fixture.ts';

/** Whole runs on Gemini's API, against a server that refuses what the real one does. */

const model = { provider: 'gemini', name: 'gemini-test-3' } as const;
const STAND_IN = 'skip_thought_signature_validator';
const looks = () => reply(generated([thought('Hm.'), call('look', {}, 'sig', 'x#1')]));
const done = () => reply(generated([text('Nine.'), text('', 'end')]));
const again = () => reply(generated([text('Still nine.')]));
const signaturesIn = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  (body.contents as { parts: { thoughtSignature?: string }[] }[]).flatMap(({ parts }) =>
    parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
  );

test('a request begins with the bytes of the one before, and signatures stay', async () => {
  await using served = await servedWorld({ model, tools: [tool('look')] }, [looks(), done(), again()]);
  expect(ending(await served.hear('What time is it?'))).toMatchObject({ state: 'completed' });
  expect(ending(await served.hear('And now?'))).toMatchObject({ state: 'completed' });
  const [first = '', second = '', third = ''] = served.server.requests.map(({ raw }) => raw.slice(0, -2));
  expect(second.startsWith(first)).toBe(true);
  expect(third.startsWith(second)).toBe(true);
  expect(served.server.requests.map(signaturesIn)).toEqual([
    [],
    [signature('sig')],
    [signature('sig'), signature('end')],
  ]);
});

test('signatures that the server calls corrupted are left out, and the run goes on', async () => {
  const refusal = status(400, {}, error(400, 'INVALID_ARGUMENT', 'Corrupted thought signature.'));
  const accepts = laxly('the server has refused its own signature', done());
  await using served = await servedWorld({ model, tools: [tool('look')] }, [looks(), refusal, accepts]);
  expect(ending(await served.hear('What time is it?'))).toMatchObject({ state: 'completed' });
  expect(served.server.requests.map(signaturesIn)).toEqual([[], [signature('sig')], [STAND_IN]]);
});

test('a malformed call is answered with the right form, and the run goes on', async () => {
  const finishMessage = 'Malformed function call: print(default_api.look())';
  const malformed = reply(generated([], 'MALFORMED_FUNCTION_CALL', { finishMessage }));
  await using served = await servedWorld({ model, tools: [tool('look')] }, [malformed, looks(), done()]);
  const events = await served.hear('What time is it?');
  expect(ending(events)).toMatchObject({ state: 'completed' });
  expect(served.server.requests[1]?.raw).toContain('print(default_api.look())');
});

test('a refusal ends the run', async () => {
  const refused = reply(generated([], 'PROHIBITED_CONTENT'));
  await using served = await servedWorld({ model, tools: [tool('look')] }, [refused]);
  expect(ending(await served.hear('What time is it?'))).toMatchObject({ state: 'error' });
});

test('a tool that the server refuses to declare is left out', async () => {
  const words =
    'The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[1].name: [FIELD_INVALID] Invalid function name.';
  const refusal = status(400, {}, error(400, 'INVALID_ARGUMENT', words));
  const tools = [tool('look'), tool('odd')];
  await using served = await servedWorld({ model, tools }, [refusal, looks(), done()]);
  const events = await served.hear('What time is it?');
  expect(ending(events)).toMatchObject({ state: 'completed' });
  expect(events.map((event) => 'name' in event && event.name)).toContain('steploop.tools_omitted');
  expect(served.server.requests[1]?.raw).not.toContain('"odd"');
});

describe('a fallback', () => {
  test('of another API reads neither signatures nor ids of Gemini', async () => {
    const failed = status(403, {}, error(403, 'PERMISSION_DENIED'));
    await using first = await modelServer(looks(), failed);
    await using second = await modelServer(reply(message([messageText('Nine.')])));
    const fallbacks = [{ name: 'claude-test-1', server: 'secondary' }];
    const world = await httpSession(
      { model: { ...model, fallbacks }, tools: [tool('look')] },
      { primary: first.url, secondary: second.url },
    );
    await world.say('What time is it?');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const raw = second.requests[0]?.raw ?? '';
    expect(raw).toContain('tool_use');
    for (const own of [signature('sig'), 'x#1', '_given', 'Hm.']) expect(raw).not.toContain(own);
  });

  test('that is Gemini stands in for signatures of calls that it has not made (NousResearch/hermes-agent#66587)', async () => {
    const failed = status(403, {}, { type: 'error', error: { type: 'permission_error', message: 'no' } });
    await using first = await modelServer(
      reply(message([toolUse('toolu_1', 'look', '{}')], 'tool_use')),
      failed,
    );
    await using second = await modelServer(done());
    const world = await httpSession(
      {
        model: { name: 'claude-test-1', fallbacks: [{ ...model, server: 'secondary' }] },
        tools: [tool('look')],
      },
      { primary: first.url, secondary: second.url },
    );
    await world.say('What time is it?');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(second.requests.map(signaturesIn)).toEqual([[STAND_IN]]);
    expect(second.requests[0]?.raw).not.toContain('toolu_1');
  });
});
