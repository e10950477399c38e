import { describe, expect, test } from 'vitest';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { Form } from '../../../shared/contract/form/fields.ts';
import { answerLine, linesOf } from '../../../shared/contract/form/lines.ts';
import { formIn } from '../../../shared/contract/form/read.ts';
import { MAX_NOTE } from '../../../shared/contract/http.ts';
import { ask } from '../../../shared/slack/blocks.ts';
import { closedView, formView, MAX_ANSWER, submitted } from '../../../shared/slack/form-view.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { type Waiting, waitInThreads } from '../../support/slack-waiting.ts';
import { writtenBy } from '../../support/written.ts';

const { CHANNEL, PARTNER, TEAM, TS, USER } = recorded;

const all = Form.parse({
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 20, description: 'As in the passport' },
    story: { type: 'string' },
    nights: { type: 'integer', minimum: 1, maximum: 30 },
    price: { type: 'number' },
    size: { type: 'string', oneOf: [{ const: 'S' }, { const: 'L', title: 'Large' }] },
    extras: { type: 'array', items: { enum: ['sun', 'sea'] }, maxItems: 1 },
    pets: { type: 'boolean' },
    from: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
  },
  required: ['name', 'nights'],
});
const textOf = (form: Form, before = 'Where to?') =>
  [before, ...linesOf(form), `${answerLine(2)}.`].join('\n');
const question = textOf(all);

describe('the modal of a question with fields', () => {
  const viewOf = (text: string) => formView(formIn(text) ?? { form: { properties: {} }, words: '' }, 'h1');
  type Blocks = { type: string; block_id?: string; optional?: boolean; element?: { type: string } }[];

  test('has an input for each kind, and what Slack takes', () => {
    const view = viewOf(question);
    expect(brokenRule('views.open', { view: JSON.stringify(view) })).toBeUndefined();
    expect(view).toMatchObject({ type: 'modal', callback_id: 'steploop.form', private_metadata: 'h1' });
    const inputs = (view.blocks as Blocks).filter(({ type }) => type === 'input');
    expect(inputs.map(({ element, optional }) => [element?.type, optional])).toEqual([
      ['plain_text_input', false],
      ['plain_text_input', true],
      ['number_input', false],
      ['number_input', true],
      ['static_select', true],
      ['multi_static_select', true],
      ['static_select', true],
      ['datepicker', true],
      ['datetimepicker', true],
      ['email_text_input', true],
      ['url_text_input', true],
    ]);
    expect(inputs[0]).toMatchObject({
      label: { text: 'name' },
      hint: { text: 'As in the passport' },
      element: { min_length: 2, max_length: 20, multiline: false },
    });
  });

  test('of the largest form is one that Slack takes', () => {
    const words = (n: number) => 'W'.repeat(n);
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `${i}${words(58)}`,
        {
          type: 'string',
          description: words(200),
          enum: Array.from({ length: 30 }, (_, j) => `${j}${words(58)}`),
        },
      ]),
    );
    const view = viewOf(textOf(Form.parse({ properties }), words(15_000)));
    expect((view.blocks as Blocks).filter(({ type }) => type === 'input')).toHaveLength(30);
    expect(brokenRule('views.open', { view: JSON.stringify(view) })).toBeUndefined();
    expect(brokenRule('views.open', { view: JSON.stringify(closedView(words(9_000))) })).toBeUndefined();
  });

  test.each([
    ['bounds that exclude each other', { type: 'integer', minimum: 5, maximum: 1 }, {}],
    [
      'bounds of an integer between integers',
      { type: 'integer', minimum: 0.5, maximum: 3.5 },
      { min_value: '1', max_value: '3' },
    ],
    ['no integer between its bounds', { type: 'integer', minimum: 0.2, maximum: 0.8 }, {}],
    ['a bound of zero', { type: 'number', minimum: 0 }, { min_value: '0' }],
    ['bounds beyond plain digits', { type: 'number', minimum: 1e-7, maximum: 1e21 }, {}],
  ])('is one that Slack takes with %s', (_what, field, bounds) => {
    const view = viewOf(textOf(Form.parse({ properties: { n: field } })));
    expect(brokenRule('views.open', { view: JSON.stringify(view) })).toBeUndefined();
    const [
      ,
      {
        element: { min_value, max_value },
      },
    ] = view.blocks as [unknown, { element: Record<string, string> }];
    expect({ min_value, max_value }).toEqual({ min_value: undefined, max_value: undefined, ...bounds });
  });

  test('is one that Slack takes with an option without words', () => {
    const view = viewOf(textOf(Form.parse({ properties: { n: { type: 'string', enum: ['', ' ', 'a'] } } })));
    expect(brokenRule('views.open', { view: JSON.stringify(view) })).toBeUndefined();
    expect(JSON.stringify(view)).toContain('(empty)');
  });

  test.each([
    [
      'with bounds that exclude each other',
      {
        blocks: [
          {
            type: 'input',
            label: { type: 'plain_text', text: 'n' },
            element: { type: 'number_input', is_decimal_allowed: false, min_value: '5', max_value: '1' },
          },
        ],
      },
    ],
    ['without a button', { submit: undefined }],
    ['with a long title', { title: { type: 'plain_text', text: 'x'.repeat(25) } }],
    ['with metadata that is too long', { private_metadata: 'x'.repeat(3_001) }],
    ['of a home', { type: 'home' }],
  ])('is refused by the emulated Slack %s', (_what, over) => {
    const view = JSON.stringify({ ...viewOf(question), ...over });
    expect(brokenRule('views.open', { view })).toBe('invalid_arguments');
  });

  const entered = {
    'field-0': { value: { value: 'Ann' } },
    'field-1': { value: { value: 'two\nlines' } },
    'field-2': { value: { value: '3' } },
    'field-3': { value: { value: '1.5' } },
    'field-4': { value: { selected_option: { value: '1' } } },
    'field-5': { value: { selected_options: [{ value: '1' }] } },
    'field-6': { value: { selected_option: { value: '1' } } },
    'field-7': { value: { selected_date: '2028-02-29' } },
    'field-8': { value: { selected_date_time: 1_800_000_000 } },
    'field-9': { value: { value: 'a@b.example' } },
    'field-10': { value: { value: 'https://a.example' } },
  };

  test('makes an answer of what was entered, by name', () => {
    const read = submitted(all, entered);
    expect('answer' in read && JSON.parse(read.answer)).toEqual({
      ...{ name: 'Ann', story: 'two\nlines', nights: 3, price: 1.5, size: 'L', extras: ['sea'], pets: false },
      ...{
        from: '2028-02-29',
        at: '2027-01-15T08:00:00.000Z',
        mail: 'a@b.example',
        page: 'https://a.example',
      },
    });
    const least = submitted(all, { 'field-0': entered['field-0'], 'field-2': entered['field-2'] });
    expect(least).toEqual({ answer: '{"name":"Ann","nights":3}' });
  });

  test('has room for as much as an answer over HTTP', () => {
    expect(MAX_ANSWER).toBe(MAX_NOTE);
  });

  test.each([
    ['nothing for a field that is needed', { 'field-0': {} }, 'field-0'],
    ['blanks', { 'field-0': { value: { value: '  ' } } }, 'field-0'],
    ['a text that is too short', { 'field-0': { value: { value: 'A' } } }, 'field-0'],
    ['words for a number', { 'field-2': { value: { value: 'many' } } }, 'field-2'],
    ['a number that is too large', { 'field-2': { value: { value: '31' } } }, 'field-2'],
    ['an option that there is not', { 'field-4': { value: { selected_option: { value: '7' } } } }, 'field-4'],
    [
      'too many options',
      { 'field-5': { value: { selected_options: [{ value: '0' }, { value: '1' }] } } },
      'field-5',
    ],
    ['a day that does not exist', { 'field-7': { value: { selected_date: '2027-02-29' } } }, 'field-7'],
    ['half an address', { 'field-9': { value: { value: 'a@b' } } }, 'field-9'],
    ['more than an answer may have', { 'field-1': { value: { value: 'x'.repeat(2_000) } } }, 'field-1'],
  ])('says at the field what is wrong with %s', (_what, over, at) => {
    const read = submitted(all, { ...entered, ...over });
    expect('errors' in read && Object.keys(read.errors)).toEqual([at]);
  });
});

test('a question with fields has a button in the thread, and other questions and approvals have none', () => {
  const texts = (reason: string, message: string) =>
    JSON.stringify(ask({ id: 'w1', reason, message }, { channel: 'C1', thread: '1.1' }));
  expect(texts('question', question)).toContain('steploop.answer');
  expect(texts('question', question)).toContain('"w1@1.1"');
  expect(texts('question', 'Where to?')).not.toContain('steploop.answer');
  expect(texts('approval', question)).not.toContain('steploop.answer');
});

const wait: Wait = {
  ...{ id: 'wait1', callId: 'c1', tool: 'ask_form', kind: 'question', message: question },
  expiresAt: Number.MAX_SAFE_INTEGER,
};

/** A thread that waits for an answer, with what Slack was asked. */
async function asking(over: Parameters<typeof slackApp>[0] = {}, waits: readonly Wait[] = [wait]) {
  const it = await slackApp(over);
  await it.event(recorded.appMention());
  it.sent.splice(0);
  const state: Waiting = { waits, asks: [], decisions: {} };
  waitInThreads(it, state);
  const views: { trigger: string; view: { private_metadata: string } }[] = [];
  const api = it.api as { openView: unknown };
  api.openView = async (trigger: string, view: never) => {
    views.push({ trigger, view });
    return { kind: 'ok', value: {} };
  };
  const click = (value = `wait1@${TS}`, over: object = {}) =>
    it.click(recorded.blockActions('steploop.answer', value, over));
  return {
    it,
    api,
    state,
    views,
    click,
    async submit(over: object = {}, view: object = {}) {
      const payload = {
        type: 'view_submission',
        team: { id: TEAM, domain: 'workspace' },
        user: { id: USER, name: 'roadrunner', team_id: TEAM },
        enterprise: null,
        is_enterprise_install: false,
        view: {
          id: 'V1',
          type: 'modal',
          callback_id: 'steploop.form',
          private_metadata: views.at(-1)?.view.private_metadata ?? '',
          state: {
            values: {
              'field-0': { value: { type: 'plain_text_input', value: 'Ann' } },
              'field-2': { value: { type: 'number_input', value: '3' } },
            },
          },
          ...view,
        },
        ...over,
      };
      const { statusCode, body = '' } = await it.click(payload);
      expect(statusCode).toBe(200);
      return body === '' ? 'closed' : JSON.parse(body);
    },
  };
}
const says = (text: string) => ({
  response_action: 'update',
  view: { blocks: [{ text: { text: expect.stringContaining(text) } }] },
});

describe('a click on its button', () => {
  test('opens the form with the trigger of the click; a handle is all that travels with it', async () => {
    const { click, views, it } = await asking();
    await click();
    expect(views).toMatchObject([{ trigger: recorded.blockActions('a', 'b').trigger_id }]);
    expect(views[0]?.view.private_metadata).toMatch(/^[\w-]{1,100}$/);
    expect(it.sent).toEqual([]);
  });

  test('of a question that is over, or that was never there, says so', async () => {
    const { click, views, state, it } = await asking();
    await click(`other@${TS}`);
    state.waits = [];
    await click();
    await click('wait1@1.000001');
    expect(views).toEqual([]);
    expect(it.sent).toMatchObject(
      [1, 2, 3].map(() => ({ kind: 'whisper', text: expect.stringContaining('no longer open') })),
    );
  });

  test('by one who may not answer opens nothing', async () => {
    const answerers = ['slack:T061EG9R6:U0BOSS'];
    const only = { ...agent, approvals: { ...agent.approvals, answerers } };
    const { click, views, it } = await asking({ agents: [only] });
    await click();
    expect(views).toEqual([]);
    expect(it.sent).toMatchObject([{ kind: 'whisper', text: expect.stringContaining('are answered by') }]);
    await click(undefined, { user: { id: 'U0BOSS', team_id: TEAM } });
    expect(views).toHaveLength(1);
  });

  test('that Slack lets open nothing in time says what to do, and a second one says nothing', async () => {
    const { click, api, it } = await asking();
    api.openView = async () => ({ kind: 'refused', error: 'exchanged_trigger_id' });
    await click();
    expect(it.sent).toEqual([]);
    api.openView = async () => ({ kind: 'refused', error: 'expired_trigger_id' });
    const lines = await writtenBy(() => click());
    expect(lines).toMatchObject([
      { message: 'a form could not be opened in Slack', reason: 'expired_trigger_id' },
    ]);
    expect(it.sent).toMatchObject([{ kind: 'whisper', text: expect.stringContaining('click again') }]);
  });

  test.each(['invalid_arguments', 'view_too_large', 'hash_conflict'])(
    'whose form Slack never opens (%s) asks for an answer in the thread, and not for another click',
    async (error) => {
      const { click, api, it } = await asking();
      api.openView = async () => ({ kind: 'refused', error });
      await writtenBy(() => click());
      expect(it.sent).toMatchObject([
        { kind: 'whisper', text: 'Slack does not show this form. Please answer in the thread.' },
      ]);
    },
  );
});

test('a question of a session below opens and is answered where it is asked', async () => {
  const { click, submit, views, it, state } = await asking();
  state.waits = [];
  const ask = { ...wait, callId: 'c2', child: 'below', agent: 'other' };
  state.asks = [ask];
  await click();
  expect(views).toHaveLength(1);
  expect(await submit()).toBe('closed');
  expect(it.decided).toMatchObject([{ id: 'wait1', approved: true, key: { tenant: 'acme' } }]);
});

describe('a form that is submitted', () => {
  test('answers the question in the name of the person, and closes', async () => {
    const { click, submit, it } = await asking();
    await click();
    expect(await submit()).toBe('closed');
    expect(it.decided).toEqual([
      {
        by: expect.objectContaining({ subject: `slack:${TEAM}:${USER}`, kind: 'slack' }),
        key: expect.objectContaining({ tenant: 'acme' }),
        ...{ id: 'wait1', approved: true, note: '{"name":"Ann","nights":3}' },
      },
    ]);
  });

  test('with what does not fit stays open, with an error at the field', async () => {
    const { click, submit, it } = await asking();
    await click();
    const values = { 'field-0': { value: { value: 'Ann' } }, 'field-2': { value: { value: '31' } } };
    expect(await submit({}, { state: { values } })).toEqual({
      response_action: 'errors',
      errors: { 'field-2': 'It must be integer, at least 1, at most 30.' },
    });
    expect(it.decided).toEqual([]);
  });

  test.each([
    ['of another handle', {}, { private_metadata: 'someone-elses' }],
    [
      'with a place of its own',
      {},
      { private_metadata: JSON.stringify({ id: 'wait1', channel: CHANNEL, thread: TS }) },
    ],
    ['with no handle', {}, { private_metadata: '' }],
    ['by another person', { user: { id: 'U0OTHER', team_id: TEAM } }, {}],
    ['by the same id in another organisation', { user: { id: USER, team_id: PARTNER } }, {}],
  ])('%s decides nothing, and is told so', async (_what, over, view) => {
    const { click, submit, it } = await asking();
    await click();
    expect(await submit(over, view)).toMatchObject(says('not yours'));
    expect(it.decided).toEqual([]);
  });

  test('in another workspace, or of another form, decides nothing', async () => {
    const { click, submit, it } = await asking();
    await it.context.store.install({
      ...{ team: 'T0OTHER', tenant: 'other', botUser: 'U0BOT', secretId: 's', installedAt: 1 },
    });
    await click();
    const abroad = { team: { id: 'T0OTHER' }, user: { id: USER, team_id: 'T0OTHER' } };
    expect(await submit(abroad)).toMatchObject(says('not yours'));
    expect(await submit({ team: { id: 'T0NONE' } })).toBe('closed');
    expect(await submit({}, { callback_id: 'other' })).toBe('closed');
    expect(it.decided).toEqual([]);
  });

  test('after the question is over says so, and the repetition of an answer that counted closes', async () => {
    const { click, submit, state, it } = await asking();
    await click();
    state.waits = [];
    expect(await submit()).toMatchObject(says('no longer open'));
    state.decisions = { wait1: { by: `slack:${TEAM}:${USER}` } };
    expect(await submit()).toBe('closed');
    state.decisions = { wait1: { by: `slack:${TEAM}:U0OTHER` } };
    expect(await submit()).toMatchObject(says('no longer open'));
    expect(it.decided).toEqual([]);
  });

  test.each([
    ['forbidden', 'You may not decide this. Only Ada.'],
    ['already_decided', 'already decided'],
    ['closed', 'no longer open'],
    ['busy', 'click again'],
  ] as const)('that does not count (%s) says why', async (kind, text) => {
    const decision = (kind === 'forbidden' ? { kind, why: 'Only Ada.' } : { kind }) as never;
    const { click, submit } = await asking({ decision });
    await click();
    expect(await submit()).toMatchObject(says(text));
  });

  test('with odd fields is acknowledged, and logged without what was entered', async () => {
    const { click, submit } = await asking();
    await click();
    const values = { 'field-0': { value: { value: { secret: 1 } } }, 'field-2': { value: { value: '3' } } };
    let answer: unknown;
    const lines = await writtenBy(async () => {
      answer = await submit({}, { state: { values } });
    });
    expect(answer).toMatchObject({
      response_action: 'errors',
      errors: { 'field-0': 'Please fill this in.' },
    });
    expect(JSON.stringify(lines)).toContain('odd fields');
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
