import { describe, expect, test } from 'vitest';
import { searchFacts } from '../../../shared/agent/memories/search.ts';

const texts = {
  invoices: 'The customer prefers invoices by e-mail, never by post.',
  deploys: 'Deployments to production happen on Tuesdays at 9:00 UTC.',
  billing: 'Ada Lovelace is the owner of the billing service.',
  database: 'The database of the shop runs on PostgreSQL 17 in eu-central-1.',
  paris: 'She moved from Berlin to Paris in March 2026.',
  cache: 'Restarting the cache clears the stuck queue workers.',
  peanuts: 'He is allergic to peanuts and likes spicy food.',
  oncall: 'The on-call rotation changes every Monday; alerts go to #ops.',
  cities: 'Our cities are served by two companies.',
  policy: 'The policy says that studies are published.',
  port: 'The service of the shop listens on port 8080.',
  rechnung: 'Die Rechnungen werden am Monatsende per E-Mail verschickt.',
  mueller: 'Frau Müller bevorzugt Termine am Nachmittag.',
  haus: 'Die Häuser am See gehören der Firma Weber.',
  reunion: 'Les réunions de l’équipe ont lieu le jeudi à dix heures.',
  appel: 'Le client préfère être appelé avant midi.',
  chevaux: 'Les journaux sont livrés par deux chevaux.',
  informes: 'Los informes mensuales se envían a la dirección financiera.',
  clave: 'La contraseña caduca cada noventa días y los usuarios deben renovarla.',
  tokyo: '顧客は東京に住んでいて、請求書は毎月送られます。',
} as const;
const facts = Object.entries(texts).map(([id, text], at) => ({ id, text, at }));
const found = (query: string) => searchFacts(facts, query).map(({ id }) => id);

describe('H6: a fact is found first', () => {
  test.each<[kind: string, query: string, first: keyof typeof texts]>([
    ['by its words', 'Ada billing', 'billing'],
    ['by a question', 'how does the customer want his invoices?', 'invoices'],
    ['in the singular', 'city company', 'cities'],
    ['in the plural', 'policies about a study', 'policy'],
    ['in another tense', 'when do we deploy', 'deploys'],
    ['in another tense', 'where is she moving', 'paris'],
    ['as a noun', 'peanut allergy', 'peanuts'],
    ['with typing errors', 'pruduction deploymnt', 'deploys'],
    ['with a typing error in a name', 'lovelase', 'billing'],
    ['by the beginning of a word', 'postgres', 'database'],
    ['by a number', 'port 8080', 'port'],
    ['in German, in another form', 'Rechnung verschicken', 'rechnung'],
    ['in German, with an umlaut in one form only', 'Haus am See', 'haus'],
    ['with an umlaut written out', 'Mueller', 'mueller'],
    ['with an umlaut left out', 'muller', 'mueller'],
    ['in French, in another form', 'client préférer appeler', 'appel'],
    ['in French, without accents', 'reunion equipe', 'reunion'],
    ['in French, in the singular', 'cheval', 'chevaux'],
    ['in Spanish, in another form', 'informe mensual', 'informes'],
    ['in Spanish, without accents', 'contrasenas', 'clave'],
    ['in a script without spaces', '請求書', 'tokyo'],
  ])('%s: %s', (_kind, query, first) => {
    expect(found(query)[0]).toBe(first);
  });
});

test('a fact that shares only stop words with a question is not found', () => {
  expect(found('what is the name of the dog?')).toEqual([]);
  expect(found('wo ist der Hund')).toEqual([]);
});

test('a question of stop words only is searched as it is', () => {
  expect(found('every')).toEqual(['oncall']);
});

test('the newer of two equal facts is first', () => {
  const said = ['old', 'new', 'older'].map((id, i) => ({
    id,
    text: 'The key is blue.',
    at: [2, 3, 1][i] ?? 0,
  }));
  expect(searchFacts(said, 'blue key').map(({ id }) => id)).toEqual(['new', 'old', 'older']);
});

test.each(['', ' ', '?!', '"', '*', '(', '\\', '\u0000', '😀', 'constructor', '__proto__'])(
  '%j causes no error',
  (query) => {
    expect(found(query)).toEqual([]);
  },
);

test.each([
  ['one word', 'x'.repeat(100_000)],
  ['one word of a script without spaces', '請'.repeat(100_000)],
  ['many words', Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ')],
  ['many marks', 'a\u0301\u0302'.repeat(30_000)],
])('a query of %s that is far too long ends', (_what, query) => {
  found(query);
});
