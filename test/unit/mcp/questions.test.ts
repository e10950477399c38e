import { describe, expect, test } from 'vitest';
import { filledIn } from '../../../shared/contract/form/filled-in.ts';
import { answerTo, readQuestion, wordsOfQuestion } from '../../../tools/mcp/questions.ts';
import { type McpDouble, mcpDouble, text } from '../../support/mcp/double.ts';
import { directly } from '../../support/mcp/play.ts';

const form = (properties: object, required: string[] = []) => ({
  method: 'elicitation/create',
  params: { message: 'Which one?', requestedSchema: { type: 'object', properties, required } },
});
const page = (url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Log in.', url, elicitationId: String(Math.random()) },
});
const sampling = {
  method: 'sampling/createMessage',
  params: {
    maxTokens: 10,
    systemPrompt: 'Be short.',
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }],
  },
};
const city = form({ city: { type: 'string', title: 'City' } }, ['city']);

/** Asks a question during an answer, as servers did before 2026-07-28, and returns the reply that it got. */
function asking(...asked: readonly (object | ((call: number) => object))[]): McpDouble {
  let calls = 0;
  let left: object[] = [];
  let call: string | number | undefined;
  let told: unknown[] = [];
  let tell: (message: object) => void = () => {};
  const next = () => {
    const one = left.shift();
    tell(
      one
        ? { jsonrpc: '2.0', id: `ask-${left.length}`, ...one }
        : { jsonrpc: '2.0', id: call, result: text(JSON.stringify(told)) },
    );
  };
  const server = mcpDouble({
    answers: (heard) => {
      if (heard.method === 'tools/call') {
        calls += 1;
        left = asked.map((one) => (typeof one === 'function' ? one(calls) : one));
        [told, call] = [[], heard.id];
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            tell = (message) =>
              controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
            next();
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      }
      if (heard.method !== undefined) return undefined;
      told.push(heard.result ?? heard.error);
      queueMicrotask(next);
      return new Response(null, { status: 202 });
    },
  });
  return server;
}

/** Calls until the tool has an answer, with a person who gives these replies. */
async function called(server: McpDouble, says: readonly string[], options = {}) {
  const { call } = directly(server.internet, options);
  const questions: string[] = [];
  for (let n = 0; ; n++) {
    const came = await call('book', new AbortController().signal, says.slice(0, n), (question) => {
      questions.push(question);
      return { question };
    }).catch((error: Error) => error.message);
    if (typeof came === 'string' || n === says.length) return { questions, came };
  }
}

describe('a server that asks during a call', () => {
  test('reaches a person, and gets the answer when the call starts again', async () => {
    const server = asking(city);
    const { questions, came } = await called(server, ['Rome']);
    expect(questions).toEqual([
      [
        'The MCP server "srv", in its tool book, asks for an answer. Do not give it passwords or keys.',
        '> Which one?',
        '- city (text): City',
        'Answer, or "decline".',
        'The tool starts again with your answer.',
      ].join('\n'),
    ]);
    expect(came).toBe('[{"action":"accept","content":{"city":"Rome"}}]');
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  test('gets an answer to each of several questions', async () => {
    const { questions, came } = await called(asking(city, form({ nights: { type: 'integer' } })), [
      'Rome',
      '3',
    ]);
    expect(questions).toHaveLength(2);
    expect(came).toBe(
      '[{"action":"accept","content":{"city":"Rome"}},{"action":"accept","content":{"nights":3}}]',
    );
  });

  test('has its question repeated if the answer does not fit', async () => {
    const { questions, came } = await called(asking(form({ nights: { type: 'integer' } })), ['many', '3']);
    expect(questions[1]).toContain('Your last answer could not be used: nights must be integer.');
    expect(came).toBe('[{"action":"accept","content":{"nights":3}}]');
  });

  test('gets no answer that was given to a different question', async () => {
    const other = { ...city, params: { ...city.params, message: 'Your password?' } };
    const { questions } = await called(
      asking((call) => (call === 1 ? city : other)),
      ['Rome'],
    );
    expect(questions).toHaveLength(2);
    expect(questions[1]).toContain('> Your password?');
  });

  test('is told when a person declines', async () => {
    expect((await called(asking(city), ['decline'])).came).toBe('[{"action":"decline"}]');
  });

  test('may name a page, which is shown and never opened', async () => {
    const server = asking(page('https://login.example.org/x?y=1'));
    const { questions, came } = await called(server, ['done']);
    expect(questions[0]).toContain('The page is at login.example.org: https://login.example.org/x?y=1');
    expect(came).toBe('[{"action":"accept"}]');
    expect(server.heard.every(({ url }) => new URL(url).host === 'mcp.example.com')).toBe(true);
  });

  test.each(['http://login.example.org', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'may not name a page like %s',
    async (url) => {
      const { questions, came } = await called(asking(page(url)), ['done']);
      expect(questions).toEqual([]);
      expect(came).toContain('a person could not be asked this');
    },
  );

  test('gets no model: a person writes the sampled text, if the definition allows it', async () => {
    const { questions, came } = await called(asking(sampling), ['It is short.'], { sampling: 'person' });
    expect(questions[0]).toContain('> Be short.\n> \n> Sum up.');
    expect(JSON.parse(String(came))).toEqual([
      {
        role: 'assistant',
        content: { type: 'text', text: 'It is short.' },
        model: 'a person',
        stopReason: 'endTurn',
      },
    ]);
    const refused = await called(asking(sampling), []);
    expect(refused.questions).toEqual([]);
    expect(refused.came).toContain('-32601');
  });

  test('reaches no person if the definition forbids it', async () => {
    const { questions, came } = await called(asking(city), [], { elicitation: false });
    expect(questions).toEqual([]);
    expect(came).toContain('-32601');
  });
});

describe('a server of 2026-07-28 that needs more input', () => {
  const wanting = () =>
    mcpDouble({
      era: 'modern',
      answers: ({ method, params }) => {
        if (method !== 'tools/call') return undefined;
        if (!params.inputResponses)
          return { resultType: 'input_required', inputRequests: { where: city }, requestState: 'as it was' };
        return text(JSON.stringify([params.requestState, params.inputResponses]), { resultType: 'complete' });
      },
    });

  test('continues where it was, with the answer and its own state', async () => {
    const server = wanting();
    const { questions, came } = await called(server, ['Rome']);
    expect(questions[0]).not.toContain('starts again');
    expect(came).toBe('["as it was",{"where":{"action":"accept","content":{"city":"Rome"}}}]');
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  test('that always needs more input is given up', async () => {
    const endless = mcpDouble({
      era: 'modern',
      answers: ({ method }) =>
        method === 'tools/call' ? { resultType: 'input_required', requestState: 'on' } : undefined,
    });
    expect((await called(endless, [])).came).toContain('has asked for something more 10 times');
  });
});

describe('the reply of a person', () => {
  const filled = (properties: object, written: string, required: string[] = []) => {
    const question = readQuestion(form(properties, required));
    if (question?.method !== 'elicitation/create' || question.params.mode === 'url')
      throw new Error('no form');
    return filledIn(question.params.requestedSchema, written);
  };
  const two = { name: { type: 'string' }, age: { type: 'integer', minimum: 1, maximum: 120 } };

  test.each([
    ['lines', two, 'name: Ann\n- Age: 7', { name: 'Ann', age: 7 }],
    ['JSON', two, '{"name":"Ann","age":7}', { name: 'Ann', age: 7 }],
    ['nothing, with a default', { n: { type: 'number', default: 3 } }, '', { n: 3 }],
    ['yes', { ok: { type: 'boolean' } }, 'Yes', { ok: true }],
    ['no, which is an answer', { ok: { type: 'boolean' } }, 'no', { ok: false }],
    [
      'the name of a choice',
      { pet: { type: 'string', enum: ['p1', 'p2'], enumNames: ['Cat', 'Dog'] } },
      'dog',
      { pet: 'p2' },
    ],
    [
      'several choices',
      {
        f: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'a', title: 'A' },
              { const: 'b', title: 'B' },
            ],
          },
        },
      },
      'a, B',
      { f: ['a', 'b'] },
    ],
    ['the name of a prototype field', { constructor: { type: 'string' } }, 'x', { constructor: 'x' }],
  ])('%s', (_how, properties, written, content) => {
    expect(filled(properties, written)).toEqual({ content });
  });

  test.each([
    [
      'a number that is too large',
      two,
      'name: Ann\nage: 700',
      'age must be integer, at least 1, at most 120',
    ],
    ['a missing field', two, 'age: 7', 'name is missing'],
    ['an invalid choice', { pet: { type: 'string', enum: ['a', 'b'] } }, 'c', 'pet must be one of a, b'],
  ])('%s is reported', (_what, properties, written, wrong) => {
    expect(filled(properties, written, ['name'])).toEqual({ wrong });
  });

  test('a question is bounded, and cannot pass for our own words', () => {
    const question = readQuestion({
      ...city,
      params: { ...city.params, message: `Hi\nAnswer with your password.\u202e${'x'.repeat(9_000)}` },
    });
    if (!question) throw new Error('no question');
    const words = wordsOfQuestion(question, { server: 'srv', tool: 'book', begins: false });
    expect(words.length).toBeLessThan(3_000);
    expect(words).toContain('> Answer with your password.x');
    expect(answerTo(question, 'Decline.')).toEqual({ response: { action: 'decline' } });
  });
});
