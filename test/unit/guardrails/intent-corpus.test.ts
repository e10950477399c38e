import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { builtInGuards } from '../../../shared/agent/guardrails/built-in.ts';
import { judge } from '../../../shared/agent/guardrails/judge.ts';
import { newRun, newSession } from '../../../shared/agent/session/session.ts';
import { writtenCall } from '../../../shared/agent/step/model/written-call.ts';
import { announcesAction } from '../../../shared/agent/words/announce/announce.ts';
import { isStatusOnly } from '../../../shared/agent/words/prose.ts';
import { says } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { announcements } from './intent-corpus/announcements.ts';
import { chat } from './intent-corpus/chat.ts';
import { coding } from './intent-corpus/coding.ts';
import * as fifth from './intent-corpus/fifth-hold-out.ts';
import * as first from './intent-corpus/first-hold-out.ts';
import * as fourth from './intent-corpus/fourth-hold-out.ts';
import { operations } from './intent-corpus/operations.ts';
import * as plans from './intent-corpus/plans.ts';
import { refusals } from './intent-corpus/refusals.ts';
import * as second from './intent-corpus/second-hold-out.ts';
import * as sixth from './intent-corpus/sixth-hold-out.ts';
import { support } from './intent-corpus/support.ts';
import * as third from './intent-corpus/third-hold-out.ts';
import { traps } from './intent-corpus/traps.ts';
import { writing } from './intent-corpus/writing.ts';

const holdOuts = [first, second, third, fourth, fifth, sixth, plans];
const ordinary = [
  ...[...chat, ...support, ...coding, ...operations, ...writing, ...refusals, ...traps],
  ...holdOuts.flatMap((part) => part.ordinary),
];
const announced = [...announcements, ...holdOuts.flatMap((part) => part.announced)];

describe('U4: announcements, on a labelled corpus', () => {
  test('at most 1 % of ordinary replies count as announcements, and at least 92 % of announcements are caught', () => {
    const nudged = ordinary.filter(announcesAction);
    const caught = announced.filter(announcesAction);
    console.info(
      `intent: ${nudged.length} of ${ordinary.length} ordinary replies nudged, ${caught.length} of ${announced.length} announcements caught`,
    );
    expect(ordinary.length).toBeGreaterThanOrEqual(200);
    expect(announced.length).toBeGreaterThanOrEqual(100);
    expect({ nudged, of: nudged.length / ordinary.length <= 0.01 }).toMatchObject({ of: true });
    expect(caught.length / announced.length).toBeGreaterThanOrEqual(0.92);
  });

  test('H3: the text before a plan can announce it', () => {
    expect(plans.announced.filter((text) => !announcesAction(text))).toEqual([]);
    expect(plans.ordinary.filter(announcesAction)).toEqual([]);
  });

  test.each([
    'Ich brauche noch die Bestellnummer, dann schaue ich nach.',
    'Lad das Log hoch, dann lese ich es.',
    'Il me faut le numéro de commande, puis je vérifie tout de suite.',
    'Me falta el número de pedido, ahora mismo lo reviso.',
  ])('H3: a reply that lacks something waits for it: %s', (text) =>
    expect(announcesAction(text)).toBe(false),
  );

  test('each reply is in the corpus once', () => {
    const all = [...ordinary, ...announced];
    expect(all.filter((text, i) => all.indexOf(text) !== i)).toEqual([]);
  });
});

describe('the end of an ordinary reply', () => {
  const tools = [
    tool('get', undefined, { effect: 'read' }),
    tool('edit_file', undefined, { effect: 'once' }),
    tool('bash', undefined, { effect: 'once' }),
  ];

  /** The verdict of all guards on a reply that ends a run after that many calls. */
  const judged = (guardrails: 'default' | 'chat', text: string, toolCalls: number) => {
    const agent = defineAgent({
      ...{ name: 'a', version: '1', model: { name: 'm' }, system: 's' },
      ...{ tools, guardrails },
    });
    const outcome = says(text);
    if (outcome.kind !== 'reply') throw new Error('no reply');
    const session = {
      ...newSession({ tenant: 't', sessionId: 's' }, 'a', 'd'),
      run: { ...newRun, id: 's-0', steps: 1 + toolCalls, toolCalls },
    };
    const guards = builtInGuards(pin(agent, undefined));
    return judge(guards, 'complete', session, { reply: outcome.reply, textOnly: false, tools }).spoken;
  };

  test.each([
    { guardrails: 'default', toolCalls: 0 },
    { guardrails: 'default', toolCalls: 3 },
    { guardrails: 'chat', toolCalls: 0 },
    { guardrails: 'chat', toolCalls: 3 },
  ] as const)(
    'under $guardrails no guard objects to it, after $toolCalls calls',
    ({ guardrails, toolCalls }) => {
      const punished = ordinary.filter((text) => judged(guardrails, text, toolCalls).length > 0);
      expect(punished).toEqual([]);
    },
  );

  test('H5: none is a mere status, under presets that send statuses back', () => {
    expect(ordinary.filter(isStatusOnly)).toEqual([]);
  });

  test('H19: none contains a call in its text', () => {
    const names = tools.map(({ name }) => name);
    expect([...ordinary, ...announced].filter((text) => writtenCall(text, [], names) !== undefined)).toEqual(
      [],
    );
  });

  test('the preset chat accepts announcements, and the default sends them back', () => {
    const text = "I'll look at the file next.";
    expect(judged('chat', text, 1)).toEqual([]);
    expect(judged('default', text, 1)).toMatchObject([{ kind: 'nudge', guard: 'intent' }]);
  });
});
