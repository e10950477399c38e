/** More tools than a server accepts, or than a model handles. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import { defineAgent, defineTool } from '../../../shared/agent/define/index.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { toolsSent } from '../../../shared/agent/session/tools-sent.ts';
import { calls, rehearse, says } from '../../../testing/index.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { mcpDouble } from '../../support/mcp/double.ts';
import { converse } from './conversation.fixture.ts';

const VERBS = ['list', 'get', 'create', 'update', 'delete'];
const THINGS = ['invoice', 'pull_request', 'calendar_event', 'customer', 'deployment', 'incident'];

/** As many tools as a large service lists, each with a schema of ordinary size. */
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const verb = VERBS[i % VERBS.length];
    const thing = THINGS[Math.floor(i / VERBS.length) % THINGS.length];
    const group = Math.floor(i / (VERBS.length * THINGS.length));
    return {
      name: `${verb}_${thing}_${group}`,
      description: `${verb} a ${thing?.replaceAll('_', ' ')} of region ${group}. `.repeat(8),
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Which one, by its id in the region.' },
          limit: { type: 'integer', description: 'How many, at most.' },
          fields: { type: 'array', items: { type: 'string' }, description: 'Fields to return.' },
        },
      },
    };
  });

const TOOLS = many(300);
const WANTED = 'docs__create_calendar_event_7';
const note = defineTool({
  name: 'take_note',
  description: 'Takes a note.',
  effect: 'read',
  input: z.object({ text: z.string() }),
  run: () => 'noted',
});

let count = 0;
/** The process caches tools by address, so each test has its own. */
const docs = () => mcpServer({ name: 'docs', url: `https://mcp.example.com/search-${++count}/mcp` });
const agentWith = (more: object = {}) =>
  defineAgent({
    name: 'many',
    version: '1',
    model: { name: 'm' },
    system: 'You work.',
    approvals: 'by_tool',
    tools: [note],
    toolSources: [docs()],
    ...more,
  });

describe('more tools than a model handles', () => {
  test('search-129-tools: a server that refuses 129 tools gets four, and one of 300 is found and called', async () => {
    const server = mcpDouble({ tools: TOOLS });
    const came = await converse({
      api: 'openai',
      internet: server.internet,
      definition: { tools: [note], toolSources: [docs()], approvals: 'by_tool' },
      asks: [
        ['search_tools', '{"query":"create a calendar event"}'],
        ['call_tool', `{"name":"${WANTED}","arguments":{"id":"7"}}`],
        ['docs__get_invoice_0', '{"id":"1"}'],
      ],
    });
    expect(came.results.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['search_tools', 'ok'],
      [WANTED, 'ok'],
      ['docs__get_invoice_0', 'ok'],
    ]);
    expect(came.results[0]?.content).toContain('docs__create_calendar_event_0');
    expect(
      server.heard.filter(({ method }) => method === 'tools/call').map(({ params }) => params),
    ).toMatchObject([
      { name: 'create_calendar_event_7', arguments: { id: '7' } },
      { name: 'get_invoice_0', arguments: { id: '1' } },
    ]);
    const told = came.events.flatMap((event) => (event.type === 'TOOL_CALL_START' ? event.toolCallName : []));
    expect(told).toEqual(['search_tools', WANTED, 'docs__get_invoice_0']);
    // The model's server gets back the arguments as the model wrote them.
    expect(came.sent).toContain('call_tool');
  });

  test('search-constant: all requests of a session declare the same tools, byte for byte', async () => {
    const run = await rehearse(agentWith(), {
      user: ['Go.', 'And again.'],
      model: [
        calls(['search_tools', { query: 'invoice' }]),
        calls(['call_tool', { name: 'docs__get_invoice_1', arguments: {} }]),
        says('Done.'),
        says('Again.'),
      ],
      internet: mcpDouble({ tools: TOOLS }).internet,
    });
    const declared = run.requests.map(({ tools }) => JSON.stringify(tools));
    expect(new Set(declared).size).toBe(1);
    expect(run.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'take_note',
      'search_tools',
      'call_tool',
    ]);
  });

  test('search-approval: people, policies and guards see the called tool and its arguments', async () => {
    const asked: unknown[] = [];
    const run = await rehearse(agentWith({ approvals: { effects: ['once'] } }), {
      user: 'Go.',
      model: [
        calls(['call_tool', { name: 'docs__delete_customer_2', arguments: { id: '9' } }]),
        says('Done.'),
      ],
      internet: mcpDouble({ tools: TOOLS }).internet,
      decides: (wait) => {
        asked.push(wait);
        return true;
      },
    });
    expect(JSON.stringify(asked)).toContain('docs__delete_customer_2');
    expect(JSON.stringify(asked)).not.toContain('call_tool');
    expect(run.calls.map(({ name, input }) => [name, input])).toEqual([
      ['docs__delete_customer_2', { id: '9' }],
    ]);
  });

  test('search-written-oddly: a call through the search tool is read in the forms that models write', async () => {
    const run = await rehearse(agentWith(), {
      user: 'Go.',
      model: [
        calls(
          ['functions_call_tool', { name: 'functions.docs__get_invoice_0', arguments: '{"limit":"5"}' }],
          ['call_tool', { name: 'get_invoice_1' }],
          ['call_tool', { name: 'docs__no_such_tool', arguments: {} }],
          ['call_tool', { what: 1 }],
        ),
        says('Done.'),
      ],
      internet: mcpDouble({ tools: TOOLS }).internet,
    });
    expect(run.calls.map(({ name, input, outcome }) => [name, input, outcome])).toEqual([
      ['docs__get_invoice_0', { limit: 5 }, 'ok'],
      ['docs__get_invoice_1', {}, 'ok'],
      ['docs__no_such_tool', {}, expect.not.stringMatching(/^ok$/)],
      ['call_tool', { what: 1 }, expect.not.stringMatching(/^ok$/)],
    ]);
  });

  test('search-after-fold: called tools stay named when their search is left out', async () => {
    const run = await rehearse(
      agentWith({
        model: { name: 'm', window: 12_000, maxTokens: 1_000 },
        guardrails: { context: { strategy: 'sliding_window', foldAt: 0.5, target: 0.2 } },
      }),
      {
        user: ['Go.', ...Array.from({ length: 12 }, (_, i) => `${i} ${'word '.repeat(500)}`)],
        model: [
          calls(['search_tools', { query: 'incident' }]),
          calls(['call_tool', { name: 'docs__get_incident_3', arguments: {} }]),
          says('Done.'),
          ...Array.from({ length: 12 }, () => says('Yes.')),
        ],
        internet: mcpDouble({ tools: TOOLS }).internet,
      },
    );
    const last = JSON.stringify(run.requests.at(-1)?.messages);
    expect(last).not.toContain('tool_result');
    expect(last).toContain('Tools that you have found so far');
    expect(last.match(/docs__get_incident_3/g)).toHaveLength(1);
  });

  test('search-off: with toolSearch false all tools are sent', async () => {
    const run = await rehearse(agentWith({ toolSearch: false }), {
      user: 'Go.',
      model: [says('Done.')],
      internet: mcpDouble({ tools: many(60) }).internet,
    });
    expect(run.requests[0]?.tools).toHaveLength(61);
  });

  test('search-always: favourites are declared; an impossible tool name is refused by defineAgent', async () => {
    const run = await rehearse(agentWith({ toolSearch: { always: ['docs__list_invoice_0'] } }), {
      user: 'Go.',
      model: [says('Done.')],
      internet: mcpDouble({ tools: TOOLS }).internet,
    });
    expect(run.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'take_note',
      'docs__list_invoice_0',
      'search_tools',
      'call_tool',
    ]);
    expect(() => agentWith({ toolSearch: { always: ['nothing'] } })).toThrow(
      'toolSearch.always names nothing',
    );
  });

  test('search-own: tools in code are searched for too if they alone are too many', () => {
    const tools = Array.from({ length: 60 }, (_, i) => ({ ...note, name: `note_${i}` }));
    const agent = defineAgent({
      name: 'own',
      version: '1',
      model: { name: 'm' },
      system: 's',
      tools,
      toolSearch: { always: ['note_3'] },
    });
    const names = toolsSent(pin(agent, undefined)).map(({ name }) => name);
    expect(names).toEqual(['note_3', 'search_tools', 'call_tool']);
  });

  test('search-tokens: a request with 300 tools takes a hundredth of the tokens with the search', async () => {
    const tokensOf = async (toolSearch: object | false) => {
      const run = await rehearse(agentWith({ toolSearch }), {
        user: 'Go.',
        model: [says('Done.')],
        internet: mcpDouble({ tools: TOOLS }).internet,
      });
      const [first] = run.requests;
      return first ? estimateTokens(first) : 0;
    };
    const [all, searched] = [await tokensOf(false), await tokensOf({})];
    // 47,729 and 327 when this was written.
    expect(searched).toBeLessThan(all / 50);
  });
});
