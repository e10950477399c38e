import { each, failed, one, type Run, rounds } from './run.ts';

const order = (i: number) => ({
  id: 4100 + i,
  status: ['shipped', 'delivered', 'packed'][i % 3],
  cents: 900 + 75 * i,
});

/** The work of a help desk agent on an ordinary day. */
export const support: readonly Run[] = [
  {
    name: 'twenty lookups of twenty orders',
    tools: { lookup_order: 'read' },
    steps: each(20, (i) => one('lookup_order', { orderId: 4100 + i }, order(i))),
  },
  {
    name: 'twenty lookups of twenty orders, all of which say the same',
    tools: { get_order_state: 'read' },
    steps: each(20, (i) => one('get_order_state', { id: `A-${i}` }, 'delivered')),
  },
  {
    name: 'stock of twelve articles, all available',
    tools: { check_stock: 'read' },
    steps: each(12, (i) => one('check_stock', { sku: `SKU-${i}` }, { available: true })),
  },
  {
    name: 'a refund, from the customer to the letter',
    tools: {
      find_customer: 'read',
      list_orders: 'read',
      lookup_order: 'read',
      refund: 'once',
      send_email: 'once',
      add_note: 'idempotent',
    },
    steps: [
      one('find_customer', { email: 'ana@example.com' }, { id: 'c9', name: 'Ana' }),
      one('list_orders', { customer: 'c9' }, [order(1), order(2)]),
      one('lookup_order', { orderId: 4101 }, order(1)),
      one('lookup_order', { orderId: 4102 }, order(2)),
      one('refund', { orderId: 4101, cents: 975 }, { refundId: 'r1' }),
      one('lookup_order', { orderId: 4101 }, { ...order(1), status: 'refunded' }),
      one('send_email', { to: 'ana@example.com', text: 'Your refund is on its way.' }, 'sent'),
      one('add_note', { customer: 'c9', text: 'refunded 4101' }, 'ok'),
    ],
  },
  {
    name: 'twelve tickets read, labelled and answered',
    tools: { get_ticket: 'read', add_label: 'idempotent', reply_ticket: 'once' },
    steps: rounds(12, (i) => [
      one('get_ticket', { id: i }, { id: i, text: `My parcel ${i} is late.` }),
      one('add_label', { id: i, label: 'delivery' }, 'ok'),
      one('reply_ticket', { id: i, text: `We look into parcel ${i}.` }, 'ok'),
    ]),
  },
  {
    name: 'a queue of tickets, taken with the same call again and again',
    tools: { next_ticket: 'once', close_ticket: 'once' },
    steps: [
      ...rounds(11, (i) => [
        one('next_ticket', {}, { id: 70 + i, text: `Question ${i}` }),
        one('close_ticket', { id: 70 + i, answer: `Answer ${i}` }, { ok: true }),
      ]),
      one('next_ticket', {}, null),
    ],
  },
  {
    name: 'a queue that is only looked through',
    tools: { next_ticket: 'idempotent' },
    steps: each(15, (i) => one('next_ticket', {}, { id: 300 + i, subject: `Subject ${i}` })),
  },
  {
    name: 'a customer found at the fifth spelling',
    tools: { find_customer: 'read', list_orders: 'read' },
    steps: [
      ...['Meyer', 'Meier', 'Maier', 'Mayer'].map((name) => one('find_customer', { name }, [])),
      one('find_customer', { name: 'Mair' }, [{ id: 'c4', name: 'Mair' }]),
      one('list_orders', { customer: 'c4' }, [order(3)]),
    ],
  },
  {
    name: 'an order that is corrected twice and looked at after each correction',
    tools: { lookup_order: 'read', update_order: 'idempotent' },
    steps: [
      one('lookup_order', { orderId: 7 }, { id: 7, street: 'Hauptstr. 1', zip: '' }),
      one('update_order', { orderId: 7, zip: '8000' }, 'ok'),
      one('lookup_order', { orderId: 7 }, { id: 7, street: 'Hauptstr. 1', zip: '8000' }),
      one('update_order', { orderId: 7, street: 'Hauptstr. 11' }, 'ok'),
      one('lookup_order', { orderId: 7 }, { id: 7, street: 'Hauptstr. 11', zip: '8000' }),
    ],
  },
  {
    name: 'lookups of which some fail',
    tools: { lookup_order: 'read' },
    steps: each(14, (i) =>
      one('lookup_order', { orderId: i }, i % 4 === 3 ? failed(`no order ${i}`) : order(i)),
    ),
  },
  {
    name: 'the rules read again before each of five decisions',
    tools: { read_policy: 'read', decide_claim: 'once' },
    steps: rounds(5, (i) => [
      one('read_policy', { name: 'returns' }, 'Within 30 days, unused.'),
      one('decide_claim', { claim: i, outcome: i % 2 ? 'accept' : 'reject' }, 'ok'),
    ]),
  },
];
