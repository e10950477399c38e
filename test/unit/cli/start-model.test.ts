import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { triage } from '../../../agents/triage/agent.ts';
import { onGithub } from '../../../agents/triage/webhook.ts';
import { type EmulatedGithub, startGithub } from '../../../local/github/emulated.ts';
import type { Answer, ChatRequest } from '../../../local/model/conversation.ts';
import { decide, type LocalModel, startRuleModel } from '../../../local/model/start.ts';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { foldTexts } from '../../../shared/agent/context/texts.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { guardTexts } from '../../../shared/agent/texts/guards.ts';
import { texts } from '../../../shared/agent/texts.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import { type Scripted, says, saysAndCalls } from '../../../testing/scripted-model.ts';
import { pngOf } from '../../support/images.ts';
import { noSession, toolServices } from '../../support/tool-services.ts';
import { ofType, tool } from '../step/reading.fixture.ts';
import { drive } from '../step/rows.fixture.ts';

type Message = ChatRequest['messages'][number];

const toolsOf = (...names: string[]) => names.map((name) => ({ function: { name } }));
const triageTools = toolsOf(...triage.tools.map(({ name }) => name));
const user = (content: string): Message => ({ role: 'user', content });

/** The model's turn and the results of its calls, as the next request contains them. */
const turn = (n: number, { text, calls }: Answer, results: readonly unknown[]): Message[] => [
  {
    role: 'assistant',
    content: text,
    tool_calls: calls.map(({ name, input }, i) => ({
      id: `c${n}-${i}`,
      function: { name, arguments: JSON.stringify(input) },
    })),
  },
  ...results.map(
    (result, i): Message => ({
      role: 'tool',
      tool_call_id: `c${n}-${i}`,
      content: typeof result === 'string' ? result : JSON.stringify(result),
    }),
  ),
];

const named = ({ calls }: Answer) => calls.map(({ name }) => name);

describe('the rule-based model, triaging on the emulated GitHub', () => {
  let github: EmulatedGithub | undefined;
  afterEach(async () => {
    await github?.stop();
    github = undefined;
  });

  /** A minimal loop without guards: asks, runs the tools, asks again. */
  async function run(hub: EmulatedGithub, message: string) {
    const context: ToolContext<string, string> = {
      idempotencyKey: 'k',
      tenant: 'default',
      sessionId: 's',
      ...noSession,
      signal: AbortSignal.timeout(10_000),
      markProgress: () => {},
      setting: () => hub.url,
      secret: async () => hub.agentToken,
      services: toolServices(),
    };
    const messages = [user(message)];
    const answers: Answer[] = [];
    for (let n = 0; n < 10; n++) {
      const answer = decide({ messages, tools: triageTools });
      answers.push(answer);
      if (answer.calls.length === 0) return answers;
      const results = await Promise.all(
        answer.calls.map(async ({ name, input }) => {
          const tool = triage.tools.find((one) => one.name === name);
          try {
            return await tool?.run(tool.input.parse(input), context);
          } catch (error) {
            return `Error [failed]: ${(error as Error).message}`;
          }
        }),
      );
      messages.push(...turn(n, answer, results));
    }
    throw new Error('it does not end');
  }

  const opened = (number: number, title: string) =>
    onGithub({
      name: 'issues',
      deliveryId: '1',
      headers: {},
      payload: {
        action: 'opened',
        repository: { full_name: 'tidepool/tidepool' },
        sender: { login: 'ada-m', type: 'User' },
        issue: { number, title, body: 'See get_issue.' },
      },
    })?.message ?? '';

  test.each([
    [1, ['crash', 'mobile'], '#3'],
    [2, ['sync'], '#1'],
    [3, ['export'], '#2'],
    [4, ['enhancement'], '#4'],
  ])('story %i gets the labels %j, and its author is pointed to %s', async (story, labels, similar) => {
    github = await startGithub(undefined);
    let issue = await github.openIssue();
    for (let i = 1; i < story; i++) issue = await github.openIssue();

    const answers = await run(github, opened(issue.number, issue.title));
    expect(answers.map(named)).toEqual([
      ['get_issue'],
      ['list_labels', 'search_issues', 'search_issues'],
      ['add_labels'],
      ['comment'],
      [],
    ]);
    expect((await github.labelsOf(issue.number)).sort()).toEqual(labels);
    expect(JSON.stringify(answers[3]?.calls)).toContain(`- ${similar} `);
    expect(answers[4]?.text).toContain(`Issue #${issue.number} is labelled`);
  });

  test('an issue that cannot be read ends the run with the error of GitHub', async () => {
    github = await startGithub(undefined);
    const answers = await run(github, opened(99, 'Gone'));
    expect(answers.map(named)).toEqual([['get_issue'], []]);
    expect(answers[1]?.text).toContain('GitHub answered 404');
  });

  test('it understands an issue in the forms that people use', () => {
    const messages = [user('Please triage tidepool/tidepool#2, thanks.')];
    expect(decide({ messages, tools: triageTools }).calls).toEqual([
      { name: 'get_issue', input: { repo: 'tidepool/tidepool', number: 2 } },
    ]);
  });

  test('a second message is a second task', () => {
    const first = decide({ messages: [user('a/b#1')], tools: triageTools });
    const messages = [user('a/b#1'), ...turn(0, first, ['Error [failed]: no']), user('a/b#2')];
    expect(decide({ messages, tools: triageTools }).calls).toEqual([
      { name: 'get_issue', input: { repo: 'a/b', number: 2 } },
    ]);
  });

  test('issues, labels and comments are there again after a restart', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'steploop-github-')), 'github.json');
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const first = await startGithub(file);
    const issue = await first.openIssue();
    await run(first, opened(issue.number, issue.title));
    await first.stop();

    github = await startGithub(file);
    expect((await github.labelsOf(issue.number)).sort()).toEqual(['crash', 'mobile']);
    const path = `${github.url}/repos/${github.repo}/issues/${issue.number}/comments`;
    const comments = (await (await fetch(path)).json()) as { user: { login: string }; body: string }[];
    expect(comments.map(({ user }) => user.login)).toEqual(['tidepool-triage']);
    const next = await github.openIssue();
    expect(next.number).toBe(issue.number + 1);
    expect(next.title).not.toBe(issue.title);
  });
});

describe('the rule-based model, with other agents', () => {
  const weather = {
    function: {
      name: 'get_weather',
      parameters: {
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city', 'days'],
      },
    },
  };

  test('answers about the message', () => {
    const { text, calls } = decide({ messages: [user('Hello there')], tools: [] });
    expect(text).toContain('"Hello there"');
    expect(calls).toEqual([]);
  });

  test('answers about a message in Slack, without its author line', () => {
    const said = (text: string): Message => user(`Slack message from <@U0149056CE>:\n\n${text}`);
    expect(decide({ messages: [said('Hello there')], tools: [] }).text).toContain('You wrote: "Hello there"');
  });

  test.each(['{"state":{"a":"}\\" {"}}', '{"context":[{"value":"x"}],"state":{}}'])(
    'answers about a message that comes with what the page shows: %s',
    (shown) => {
      const messages = [user(`${texts.pageShows(shown)}get_weather {"city":"Oslo","days":2}`)];
      const { calls } = decide({ messages, tools: [weather] });
      expect(calls).toEqual([{ name: 'get_weather', input: { city: 'Oslo', days: 2 } }]);
    },
  );

  test('lists the attachments of a message, and those that it cannot see', () => {
    const sent = (...texts: string[]): Message => ({
      role: 'user',
      content: texts.flatMap((text) => [{ type: 'text', text }, { type: 'image_url' }]),
    });
    const say = (...messages: Message[]) => decide({ messages }).text;
    const plan = '[image "plan.png", 30×20]';
    expect(say(sent(plan, '[image "b.png"]', '[document "offer.pdf"]'), user('What is this?'))).toMatch(
      /^I got 2 images and 1 document: plan\.png, 30×20; b\.png; offer\.pdf\. You wrote: "What is this\?"\. This model/,
    );
    expect(say(sent(plan))).toMatch(/^I got 1 image: plan\.png, 30×20\. This model/);
    expect(say(user('[file "/src/a.ts", 12 bytes, is in the workspace]'), user('Mend it.'))).toMatch(
      /^I got 1 file: \/src\/a\.ts, 12 bytes, is in the workspace\. You wrote/,
    );
    const unseen = '[steploop] The image "a.png" is not shown to you: this model reads no images.';
    expect(say(user(plan), user(unseen), user('Look.'))).toMatch(
      /^I got 1 image: .*a\.png is not shown to you/,
    );
    // The name of an attachment is no argument of a tool, even if both are in one text.
    const zip = '[file "sums.zip": its 3 files are in the workspace, below "/repo"]';
    const bash = {
      function: {
        name: 'bash',
        parameters: { properties: { command: { type: 'string' } }, required: ['command'] },
      },
    };
    const { calls } = decide({ messages: [user(`${zip}Run bash with "ls repo".`)], tools: [bash] });
    expect(calls).toEqual([{ name: 'bash', input: { command: 'ls repo' } }]);
    // The attachments of an earlier message are already answered.
    expect(say(sent(plan), { role: 'assistant', content: 'Yes.' }, user('Thanks.'))).toMatch(/^You wrote/);
  });

  test("follows the user's words after files were reset, although both come as one text", () => {
    const said = user(
      `${texts.filesRestored(7)}[file "a.zip": its 2 files are in the workspace]Where is it?`,
    );
    const earlier = [user('Hello'), { role: 'assistant', content: 'Yes.' } as const];
    expect(decide({ messages: [...earlier, said] }).text).toContain('You wrote: "Where is it?"');
  });

  test('calls a tool that is named and whose input the text fills, once', () => {
    const messages = [user('Get the weather for "Oslo" for 3 days')];
    const answer = decide({ messages, tools: [weather] });
    expect(answer.calls).toEqual([{ name: 'get_weather', input: { city: 'Oslo', days: 3 } }]);
    messages.push(...turn(0, answer, [{ sky: 'clear' }]));
    expect(decide({ messages, tools: [weather] })).toEqual({
      text: 'get_weather said: {"sky":"clear"}\n\nThat is what the tool returned.',
      calls: [],
    });
  });

  test('calls no tool whose input the text does not fill', () => {
    expect(decide({ messages: [user('Get the weather for "Oslo"')], tools: [weather] }).calls).toEqual([]);
  });

  const order = {
    type: 'function' as const,
    function: {
      name: 'lookup_order',
      parameters: {
        properties: { orderId: { type: 'string', pattern: '^\\d{1,10}$' } },
        required: ['orderId'],
      },
    },
  };
  test.each(['Where is order 1001?', 'use lookup_order with 1001', 'lookup_order, with "orderId" 1001.'])(
    'matches an input with a pattern as the pattern does: %s',
    (text) => {
      const { calls } = decide({ messages: [user(text)], tools: [order] });
      expect(calls).toEqual([{ name: 'lookup_order', input: { orderId: '1001' } }]);
    },
  );

  test.each(['Is my order late?', 'Hello', 'What is 1001?'])(
    'calls no tool that is only hinted at: %s',
    (text) => {
      expect(decide({ messages: [user(text)], tools: [order] }).calls).toEqual([]);
    },
  );

  const shell = {
    function: {
      name: 'bash',
      parameters: { properties: { command: { type: 'string' } }, required: ['command'] },
    },
  };
  const restart = {
    function: {
      name: 'restart_service',
      parameters: {
        properties: {
          service: { type: 'string' },
          reason: { type: 'string' },
          force: { type: 'boolean' },
        },
        required: ['service', 'reason'],
      },
    },
  };
  const list = { function: { name: 'list_files', parameters: { properties: { path: { type: 'string' } } } } };
  const status = {
    function: {
      name: 'monitor__service_status',
      parameters: { properties: { service: { type: 'string' } }, required: ['service'] },
    },
  };
  const odd = {
    function: {
      name: 'sum_up',
      parameters: { properties: { '$text(': { type: 'string' } }, required: ['$text('] },
    },
  };
  test.each([
    ['bash {"command":"ls"}', 'bash', { command: 'ls' }],
    ['Call bash with {"command": "echo {}", "timeout": 3}.', 'bash', { command: 'echo {}', timeout: 3 }],
    ['bash: ls -la', 'bash', { command: 'ls -la' }],
    ['bash: echo "one two" | wc -w', 'bash', { command: 'echo "one two" | wc -w' }],
    ['bash ls -la', 'bash', { command: 'ls -la' }],
    ['bash, command ls', 'bash', { command: 'ls' }],
    ['bash command="ls -la"', 'bash', { command: 'ls -la' }],
    ['Please run `npm test` with bash.', 'bash', { command: 'npm test' }],
    ['Run ls -la with bash', 'bash', { command: 'ls -la' }],
    ['Use bash to run "cat a.txt"', 'bash', { command: 'cat a.txt' }],
    ['bash grep -rn bash .', 'bash', { command: 'grep -rn bash .' }],
    ['bash: list_files', 'bash', { command: 'list_files' }],
    ['bash', undefined, undefined],
    ['service_status: checkout', 'monitor__service_status', { service: 'checkout' }],
    ['monitor__service_status checkout', 'monitor__service_status', { service: 'checkout' }],
    ['list_files', 'list_files', {}],
    ['sum_up a', 'sum_up', { '$text(': 'a' }],
    ['list_files {"path":"src"}', 'list_files', { path: 'src' }],
    ['list_files path: src', 'list_files', { path: 'src' }],
    ['restart_service {"service":"a","reason":"b"}', 'restart_service', { service: 'a', reason: 'b' }],
    [
      'restart_service service: checkout, reason: it answers 5xx, force: true',
      'restart_service',
      { service: 'checkout', reason: 'it answers 5xx', force: true },
    ],
    ['restart_service checkout', undefined, undefined],
    ['restart_service "checkout"', undefined, undefined],
  ])("understands how people write a tool's input: %s", (text, name, input) => {
    const { calls } = decide({ messages: [user(text)], tools: [list, restart, odd, shell, status] });
    expect(calls).toEqual(name === undefined ? [] : [{ name, input }]);
  });

  test.each(['[steploop] Your last reply was cut off.', '[loop-guard] Talk: your last 2 replies only talk.'])(
    'treats a note of the loop as no task: %s',
    (note) => {
      const messages = [user('Hello'), user(note)];
      expect(decide({ messages }).text).toContain('"Hello"');
    },
  );

  const lookup = tool('lookup_order', () => 'Let me check. I will look at the file now.');
  const toolsOfAgent = toolsOf(lookup.name);
  const priced = { name: 'test-model', price: { input: 0, output: 0 } };
  const presetNames = Object.keys(presets) as PresetName[];
  const greetings = [
    'hi',
    "I'll fix it now:",
    'Say "let me run the tests',
    '<tool_call>{"name": "x"}</tool_call>',
  ];

  test.each(presetNames.flatMap((guardrails) => greetings.map((text) => ({ guardrails, text }))))(
    'trips no guard of the preset $guardrails when a user says $text: one step, and it is complete',
    async ({ guardrails, text }) => {
      const model = says(decide({ messages: [user(text)], tools: toolsOfAgent }).text);
      const { end, told, said } = await drive({ tools: [lookup], guardrails, model: priced }, [model], text);
      expect({ end, told, said }).toEqual({
        end: { state: 'completed', reason: 'completed', steps: 1 },
        told: [],
        said: [],
      });
    },
  );

  test('trips none either when it has called a tool that speaks as models do', async () => {
    const messages = [user('lookup_order')];
    const first = decide({ messages, tools: toolsOfAgent });
    messages.push(...turn(0, first, ['Let me check. I will look at the file now.']));
    const script = [
      saysAndCalls(first.text, ['lookup_order', {}]),
      says(decide({ messages, tools: toolsOfAgent }).text),
    ];
    const { end, told } = await drive({ tools: [lookup] }, script, 'lookup_order');
    expect({ end, told }).toEqual({ end: { state: 'completed', reason: 'completed', steps: 2 }, told: [] });
  });
});

describe('the rule-based model, over HTTP', () => {
  let model: LocalModel | undefined;
  afterEach(() => model?.stop());

  test('streams text in pieces, then calls, with usage by size', async () => {
    model = await startRuleModel();
    const client = new Anthropic({ apiKey: 'any', baseURL: model.url, maxRetries: 0 });
    const stream = client.messages.stream({
      model: 'claude-sonnet-5-5',
      max_tokens: 100,
      system: 'You triage.',
      messages: [{ role: 'user', content: 'Triage a/b#1' }],
      tools: triage.tools.map(({ name }) => ({ name, input_schema: { type: 'object' as const } })),
    });
    let pieces = 0;
    stream.on('text', () => {
      pieces++;
    });
    const message = await stream.finalMessage();
    expect(pieces).toBeGreaterThan(1);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(message.usage.input_tokens).toBeGreaterThan(50);
    expect(message.usage.output_tokens).toBeGreaterThan(10);
  });

  test('accepts images in the format of its API', async () => {
    model = await startRuleModel();
    const client = new Anthropic({ apiKey: 'any', baseURL: model.url, maxRetries: 0 });
    const data = Buffer.from(pngOf(3, 2)).toString('base64');
    const { content } = await client.messages.create({
      model: 'claude-sonnet-5-5',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '[image "plan.png", 3×2]' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: 'What is this?' },
          ],
        },
      ],
    });
    expect(content).toMatchObject([
      {
        type: 'text',
        text: expect.stringMatching(/^I got 1 image: plan\.png, 3×2\. You wrote: "What is this\?"/),
      },
    ]);
  });
});

describe('the rule-based model, after a compaction', () => {
  test('it keeps the user messages, and continues with the last one', () => {
    const ask = foldTexts.sumUp(400);
    const asked = [user('Where is order 1001?'), user('And 1002?'), user(ask)];
    expect(decide({ messages: asked })).toEqual({
      text: 'Task: Where is order 1001?\nAlso asked: And 1002?',
      calls: [],
    });
    const head = [
      `${foldTexts.firstTask({ came: 'answered', cut: 0 })}Where is order 1001?`,
      `${foldTexts.saidSince({ came: 'open', cut: 0 })}And 1002?`,
    ];
    const folded: Message = { role: 'user', content: head.map((text) => ({ type: 'text', text })) };
    expect(decide({ messages: [folded] }).text).toContain('You wrote: "And 1002?"');
  });
});

describe('the rule-based model, for an agent that declares its answer', () => {
  const answer = z.object({
    title: z.string().max(40),
    severity: z.enum(['low', 'high']),
    count: z.int().min(1).max(3),
    labels: z.array(z.string()).min(1),
    where: z.object({ file: z.string().nullable(), sure: z.boolean() }),
    note: z.string().optional(),
  });
  const byRules: Scripted = ({ request }) => {
    const { system, messages, tools } = request;
    const { text, calls: wanted } = decide({
      messages: [{ role: 'system', content: system }, ...chatOf(messages)],
      tools: tools.map(({ name, description, input_schema: parameters }) => ({
        function: { name, description, parameters },
      })),
    });
    return wanted.length > 0
      ? saysAndCalls(text, ...wanted.map(({ name, input }) => [name, input] as [string, unknown]))
      : says(text);
  };
  const chatOf = (
    messages: readonly { role: 'user' | 'assistant'; content: readonly object[] }[],
  ): Message[] =>
    messages.map(({ role, content }) => ({ role, content: content as { type: string; text?: string }[] }));

  test('gives one that fits, with its reply in its first text', async () => {
    const { end, events } = await drive({ answer }, [byRules], 'It crashes.');
    expect(end).toMatchObject({ state: 'completed', steps: 1 });
    expect(ofType(events, 'RUN_FINISHED')[0]?.result.object).toEqual({
      title: expect.stringContaining('It crashes.'),
      ...{ severity: 'low', count: 1, labels: [''], where: { file: '', sure: false } },
    });
  });

  test('gives formatted texts, and numbers above one, and has its reply where any text is valid', async () => {
    const part = z.object({ sku: z.string().regex(/^[A-Z]-\d$/) }).meta({ id: 'Part' });
    const formed = z.object({
      orderId: z.string().regex(/^\d{4}$/),
      day: z.iso.date(),
      by: z.email(),
      from: z.url(),
      id: z.uuid(),
      price: z.number().positive(),
      part,
      reply: z.string(),
    });
    const { end, events } = await drive({ answer: formed }, [byRules], 'Where is order 1001?');
    expect(end).toMatchObject({ state: 'completed', steps: 1 });
    expect(ofType(events, 'RUN_FINISHED')[0]?.result.object).toMatchObject({
      ...{ orderId: '1001', price: 1, part: { sku: 'A-1' } },
      reply: expect.stringContaining('Where is order'),
    });
  });

  test('summarizes a run when it is asked to, and calls tools as before', () => {
    const { system } = pin(
      defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 'You report.', answer }),
      undefined,
    );
    const asked = (...messages: Message[]) =>
      decide({ messages: [{ role: 'system', content: system }, ...messages], tools: toolsOf('noop') }).text;
    expect(asked(user('It crashes.'))).toContain('"severity"');
    expect(
      asked(user('It crashes.'), { role: 'assistant', content: 'Hm.' }, user(guardTexts.wrapUp)),
    ).not.toContain('"severity"');
  });
});
