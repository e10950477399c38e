import { HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../web/client/connect.ts';
import { emptyView, fold, type View } from '../../web/client/view.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type BlockScript, message, messageStart, text, toolUse } from '../support/model-events.ts';
import { apiError, reply, type Step } from '../support/model-server.ts';
import { type AskedModel, type RuleModel, ruleModel } from '../support/rule-model.ts';
import { isTerminal } from '../support/watcher.ts';

const WINDOW = 16_000;
const SUMMARY = 'Task: read everything. Facts: the code is 4711.';
/** Number of readings that the model asks for: four windows of them. */
const READINGS = 24;
const reading = 'A line of what was found there. '.repeat(300);

let model: RuleModel;
let world: Embedded;
let readings = 0;
const refusals: number[] = [];

/** A model that counts four characters as a token, and refuses requests that are longer than its window. */
const rule = ({ body, lastText }: AskedModel): Step => {
  const tokens = Math.ceil(JSON.stringify([body.system, body.tools, body.messages]).length / 4);
  if (tokens + 1_000 > WINDOW) {
    refusals.push(tokens);
    return apiError(400, 'invalid_request_error', `prompt is too long: ${tokens} tokens > ${WINDOW} maximum`);
  }
  const says = (blocks: BlockScript[], stop?: string): Step => {
    const [, ...rest] = message(blocks, stop);
    return reply([messageStart({ input_tokens: tokens, output_tokens: 1 }), ...rest]);
  };
  if (lastText.includes('is about to leave your context')) return says([text(SUMMARY)]);
  if (lastText.includes('The code is 4711.')) return says([text('Noted.')]);
  if (lastText.includes('What is the code?')) {
    const knows = JSON.stringify(body.messages).includes('4711');
    return says([text(knows ? 'It is 4711.' : 'I do not know.')]);
  }
  if (readings === READINGS) return says([text('All is read.')]);
  readings += 1;
  return says(
    [text(`Reading ${readings}. `), toolUse(`toolu_${readings}`, 'look', `{"n":${readings}}`)],
    'tool_use',
  );
};

beforeAll(async () => {
  model = await ruleModel(rule);
  world = await embedded({ model, tools: () => reading });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

describe('a session that has folded its context', () => {
  test('shows the whole conversation, and where it folded, to clients that followed, join or read', async () => {
    const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
    const client = connect({ httpUrl, socketUrl, token: world.token });
    const { body } = await world.api('POST', '/sessions', {
      agent: 'gatherer',
      message: 'The code is 4711.',
    });
    const id: string = body.sessionId;
    let view: View = emptyView;
    let ends = 0;
    let foldings = 0;
    client.subscribe(id, {
      onEvent(event) {
        view = fold(view, event);
        if (isTerminal(event)) ends += 1;
        if (event.type === 'CUSTOM' && event.name === 'steploop.folding') foldings += 1;
      },
      onRefused: (error) => {
        throw error;
      },
    });
    await world.atRest(id);
    for (const said of ['Read it all.', 'What is the code?']) {
      await world.api('POST', `/sessions/${id}/messages`, { message: said });
      expect(await world.atRest(id, 120)).toMatchObject({
        state: 'completed',
        lastEnding: { state: 'completed' },
      });
    }
    await expect.poll(() => ends, { timeout: 20_000 }).toBe(3);

    const messages = await world.messages(id);
    const folds = messages.flatMap((one) => (one.role === 'activity' ? [one] : []));
    expect(folds.length).toBeGreaterThanOrEqual(2);
    for (const { content } of folds) {
      expect(content.tokens.after).toBeLessThan(content.tokens.before);
      expect(content.why).toBe('size');
    }
    expect(folds.at(-1)?.content).toMatchObject({ summary: SUMMARY, model: 'claude-test-1' });
    expect(folds.at(-1)?.content.costUsd).toBeGreaterThan(0);
    expect(foldings).toBeGreaterThanOrEqual(folds.filter(({ content }) => content.summary).length);
    expect(refusals).toEqual([]);

    const said = messages.filter(({ role }) => role !== 'activity');
    expect(said.flatMap((one) => (one.role === 'user' ? [one.content] : []))).toEqual([
      ...['The code is 4711.', 'Read it all.', 'What is the code?'],
    ]);
    expect(said.filter(({ role }) => role === 'tool')).toHaveLength(READINGS);
    expect(said.at(-1)).toMatchObject({ role: 'assistant', content: 'It is 4711.' });

    expect(view.items.map(({ kind, id: of }) => [kind, of])).toEqual(
      messages.flatMap((one) => {
        if (one.role === 'tool') return [];
        if (one.role === 'activity') return [['fold', one.id]];
        const calls = one.role === 'assistant' ? (one.toolCalls ?? []) : [];
        return [['message', one.id], ...calls.map((call) => ['call', call.id])];
      }),
    );

    const joins = new HttpAgent({
      url: `${world.stack.outputs.AguiUrl}/connect`,
      threadId: id,
      headers: { authorization: `Bearer ${world.token}` },
    });
    await joins.runAgent();
    expect(joins.messages).toEqual(messages);
    client.close();
  });
});
