import { afterEach, describe, expect, test, vi } from 'vitest';
import { errorFacts, log, whereFrom } from '../../../shared/logger.ts';
import { written } from '../../support/written.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a log line', () => {
  test('has its facts as top-level fields, next to level, time and message, and is one line', () => {
    const console = vi.spyOn(globalThis.console, 'error');
    const lines = written(() =>
      log('error', 'a run ended badly', { sessionId: 's1', steps: 3, detail: 'a\nb' }),
    );
    expect(lines).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'ERROR',
        message: 'a run ended badly',
        sessionId: 's1',
        steps: 3,
        detail: 'a\nb',
      },
    ]);
    // The runtime wraps console arguments into `message`.
    expect(console).not.toHaveBeenCalled();
  });

  test('names the request of its invocation, also if several share the module', () => {
    let speaks = '';
    vi.stubGlobal('awslambda', { InvokeStore: { getRequestId: () => speaks } });
    const lines = written(() => {
      for (speaks of ['one', 'two', 'one']) log('info', 'step');
    });
    expect(lines.map(({ requestId }) => requestId)).toEqual(['one', 'two', 'one']);
  });

  test.each([
    [undefined, ['INFO', 'WARN', 'ERROR']],
    ['DEBUG', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
    ['WARN', ['WARN', 'ERROR']],
    ['TRACE', ['INFO', 'WARN', 'ERROR']],
  ])('at the level %s is written from that level on', (level, expected) => {
    vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', level);
    const lines = written(() => {
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log(each, 'x');
    });
    expect(lines.map((line) => line.level)).toEqual(expected);
  });
});

describe('a logged error', () => {
  test('has its name, its message and its stack', () => {
    const facts = errorFacts(new RangeError('too long'));
    expect(facts).toMatchObject({ error: 'RangeError', detail: 'too long' });
    expect(facts.stack).toMatch(/^ {4}at .*logger\.test\.ts/);
  });

  test('omits text that could not be parsed, which the message of a SyntaxError quotes', () => {
    expect(JSON.stringify(errorFacts(thrownBy(() => JSON.parse('hunter2 is no JSON'))))).not.toContain(
      'hunter2',
    );
  });

  test.each([
    ['its message', () => new Error('no such user: hunter2')],
    ['a message that looks like a stack line', () => new Error('x\n    at hunter2 (file.ts:1:1)')],
    ['the message of its cause', () => new Error('x', { cause: new Error('hunter2') })],
    ['a name that is a text', () => Object.assign(new Error('x'), { name: 'hunter2 was here' })],
    ['a code that is a text', () => Object.assign(new Error('x'), { code: 'hunter2 again' })],
    ['a thrown value that is no error', () => 'hunter2'],
  ])('of a tool omits %s', (_what, thrown) => {
    expect(JSON.stringify(whereFrom(thrown()))).not.toContain('hunter2');
  });

  test('of a tool keeps its kind, its code and its stack', () => {
    const thrown = Object.assign(new TypeError('hunter2'), { code: 'ECONNREFUSED' });
    expect(whereFrom(thrown)).toEqual({
      error: 'TypeError',
      errorCode: 'ECONNREFUSED',
      stack: expect.stringMatching(/^ {4}at .*logger\.test\.ts/),
    });
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
