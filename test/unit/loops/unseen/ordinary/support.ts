import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

export const support: readonly Run[] = [
  {
    name: 'eight customers are looked up and answered with the same text',
    tools: { get_customer: 'read', send_mail: 'once' },
    steps: rounds(8, (i) => [
      one('get_customer', { id: `c${i}` }, { name: `N${i}`, plan: 'pro' }),
      one('send_mail', { to: `c${i}@x.example`, text: 'The outage is over.' }, { sent: true }),
    ]),
  },
  {
    name: 'an equal memory search between new lookups',
    tools: { memory_search: 'read', get_ticket: 'read' },
    steps: rounds(7, (i) => [
      one('memory_search', { query: 'refund policy' }, ['30 days, with receipt']),
      one('get_ticket', { id: 900 + i }, { subject: `refund ${i}`, state: 'open' }),
    ]),
  },
  {
    name: 'ten tickets are closed with the same words',
    tools: { close_ticket: 'idempotent' },
    steps: each(10, (i) => one('close_ticket', { id: 700 + i, note: 'Solved.' }, 'closed')),
  },
  {
    name: 'an order that three systems do not know, and a fourth does',
    tools: { shop_order: 'read', erp_order: 'read', courier_order: 'read', archive_order: 'read' },
    steps: [
      one('shop_order', { id: 'A-7' }, failed('order A-7 not found')),
      one('erp_order', { id: 'A-7' }, failed('order A-7 not found')),
      one('courier_order', { id: 'A-7' }, { status: 'unknown' }),
      one('archive_order', { id: 'A-7' }, { total: 12 }),
    ],
  },
  {
    name: 'a voucher is made for each of six customers, all of the same value',
    tools: { create_voucher: 'once' },
    steps: each(6, (i) => one('create_voucher', { customer: `c${i}`, value: 10 }, { code: `V${i}${i * 7}` })),
  },
  {
    name: 'the queue is asked for its next case until it is empty',
    tools: { next_case: 'once', resolve_case: 'once' },
    steps: [
      ...rounds(6, (i) => [
        one('next_case', {}, { id: `k${i}` }),
        one('resolve_case', { id: `k${i}` }, { ok: true }),
      ]),
      one('next_case', {}, { id: null }),
    ],
  },
  {
    name: 'the policy is read before each of five refunds',
    tools: { read_policy: 'read', refund: 'once' },
    steps: rounds(5, (i) => [
      one('read_policy', { topic: 'refunds' }, 'Within 30 days.'),
      one('refund', { order: `o${i}`, amount: 20 }, { ok: true }),
    ]),
  },
  {
    name: 'the same tag is set on nine conversations',
    tools: { add_tag: 'idempotent', get_conversation: 'read' },
    steps: rounds(9, (i) => [
      one('get_conversation', { id: i }, { text: `It broke again ${i}` }),
      one('add_tag', { id: i, tag: 'bug' }, 'ok'),
    ]),
  },
];
