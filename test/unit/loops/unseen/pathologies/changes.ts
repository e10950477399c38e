import { failed, one } from '../../runs/run.ts';
import { alternating, type Endless, inTurn } from './pathology.ts';

/** The same change again and again, while something else is new. */
export const changes: readonly Endless[] = [
  {
    name: 'a payment between new reads, which succeeds each time',
    tools: { pay: 'once', read_file: 'read' },
    step: alternating(
      () => one('pay', { n: 1 }, 'paid'),
      (r) => one('read_file', { path: `f${r}.txt` }, `text ${r}`),
    ),
  },
  {
    name: 'a payment between new reads, which fails each time',
    tools: { pay: 'once', read_file: 'read' },
    step: alternating(
      () => one('pay', { n: 1 }, failed('card declined')),
      (r) => one('read_file', { path: `f${r}.txt` }, `text ${r}`),
    ),
  },
  {
    name: 'a refund with a receipt number that is new each time',
    tools: { refund: 'once' },
    step: (i) => one('refund', { order: 'o-1', amount: 20 }, { ok: true, receipt: `r-${1000 + i}` }),
  },
  {
    name: 'a mail to one person between two new searches',
    tools: { send_mail: 'once', search: 'read' },
    step: alternating(
      () => one('send_mail', { to: 'a@x.example', text: 'Hello' }, { sent: true }),
      (r) => one('search', { q: `a${r}` }, [`hit a${r}`]),
      (r) => one('search', { q: `b${r}` }, [`hit b${r}`]),
    ),
  },
  {
    name: 'an order placed again beside a batch of new lookups',
    tools: { place_order: 'once', get_item: 'read' },
    step: (i) => [
      ['place_order', { sku: 'S1', count: 1 }, { ok: true }],
      ['get_item', { id: i }, { name: `item ${i}` }],
      ['get_item', { id: 1000 + i }, { name: `item ${1000 + i}` }],
    ],
  },
  {
    name: 'a service restarted between pages of its log',
    tools: { restart: 'once', read_log: 'read' },
    step: alternating(
      () => one('restart', { service: 'api' }, 'restarted'),
      (r) => one('read_log', { page: r }, `GET /orders/${r} 500`),
    ),
  },
  {
    name: 'a record written with the same text between new records read',
    tools: { update_record: 'idempotent', get_record: 'read' },
    step: alternating(
      () => one('update_record', { id: 7, state: 'done' }, 'updated'),
      (r) => one('get_record', { id: r + 8 }, { state: 'open', note: `n${r}` }),
    ),
  },
  {
    name: 'a deployment that is refused alike, between new documents',
    tools: { deploy: 'once', read_doc: 'read' },
    step: alternating(
      () => one('deploy', { env: 'prod' }, { ok: false, error: 'forbidden: missing role deployer' }),
      (r) => one('read_doc', { page: r }, `Roles, page ${r}`),
    ),
  },
  {
    name: 'three changes in turn, each with the same answer, with a new read after each',
    tools: { set_a: 'once', set_b: 'once', set_c: 'once', look: 'read' },
    step: alternating(
      () => one('set_a', { on: true }, 'ok'),
      (r) => one('look', { at: `x${r}` }, `x is ${r}`),
      () => one('set_b', { on: true }, 'ok'),
      (r) => one('look', { at: `y${r}` }, `y is ${r}`),
      () => one('set_c', { on: true }, 'ok'),
      (r) => one('look', { at: `z${r}` }, `z is ${r}`),
    ),
  },
  {
    name: 'a file created, found to exist, and created again beside new listings',
    tools: { create_file: 'once', list: 'read' },
    step: alternating(
      () => one('create_file', { path: 'a.md', text: 'A' }, failed('a.md exists already')),
      (r) => one('list', { folder: `d${r}` }, [`d${r}/x`]),
    ),
  },
  {
    name: 'a ticket opened again every third step, with fresh reading between',
    tools: { open_ticket: 'once', get_page: 'read', get_user: 'read' },
    step: alternating(
      () => one('open_ticket', { title: 'Printer' }, { created: true }),
      (r) => one('get_page', { id: r }, `page ${r}`),
      (r) => one('get_user', { id: r }, `user ${r}`),
    ),
  },
  {
    name: 'a transfer with its keys in another order each time',
    tools: { transfer: 'once', get_rate: 'read' },
    step: alternating(
      (r) => one('transfer', r % 2 ? { to: 'bo', amount: 5 } : { amount: 5, to: 'bo' }, { ok: true }),
      (r) => one('get_rate', { day: r }, { rate: r / 7 }),
    ),
  },
  {
    name: 'two equal charges, a new customer, and again',
    tools: { charge: 'once', get_customer: 'read' },
    step: inTurn(
      one('charge', { customer: 'c1', cents: 900 }, { ok: true }),
      one('charge', { customer: 'c1', cents: 900 }, { ok: true }),
      one('get_customer', { id: 'c2' }, 'Bo'),
    ),
  },
];
