import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

export const accounts: readonly Run[] = [
  {
    name: 'ten invoices are read and paid',
    tools: { read_invoice: 'read', pay: 'once' },
    steps: rounds(10, (i) => [
      one('read_invoice', { id: i }, { amount: 10 + i, to: `v${i}` }),
      one('pay', { invoice: i, amount: 10 + i }, { paid: true }),
    ]),
  },
  {
    name: 'three salaries of the same amount go to three people',
    tools: { transfer: 'once' },
    steps: each(3, (i) => one('transfer', { to: ['ann', 'bo', 'cy'][i], amount: 4000 }, { ok: true })),
  },
  {
    name: 'the balance is read after each of seven bookings',
    tools: { book_entry: 'once', get_balance: 'read' },
    steps: rounds(7, (i) => [
      one('book_entry', { account: 4000 + i, amount: 50 }, { ok: true }),
      one('get_balance', { account: 'main' }, { balance: 1000 - 50 * (i + 1) }),
    ]),
  },
  {
    name: 'nine receipts are filed under one cost centre',
    tools: { file_receipt: 'idempotent' },
    steps: each(9, (i) => one('file_receipt', { receipt: `r-${i}`, centre: 'travel' }, 'filed')),
  },
  {
    name: 'a payment is refused, the account is filled, and the payment is made',
    tools: { pay: 'once', top_up: 'once' },
    steps: [
      one('pay', { invoice: 4, amount: 90 }, failed('insufficient funds')),
      one('top_up', { amount: 100 }, { balance: 100 }),
      one('pay', { invoice: 4, amount: 90 }, { paid: true }),
    ],
  },
  {
    name: 'exchange rates of one pair on ten days',
    tools: { get_rate: 'read' },
    steps: each(10, (i) =>
      one('get_rate', { pair: 'EURUSD', date: `2026-02-${10 + i}` }, { rate: i % 3 ? 1.08 : 1.09 }),
    ),
  },
  {
    name: 'rows of a ledger are matched with a statement, thirty to a page',
    tools: { list_rows: 'read', match_row: 'idempotent' },
    steps: rounds(5, (page) => [
      one(
        'list_rows',
        { page, size: 3 },
        each(3, (n) => ({ id: 3 * page + n, sum: 5 })),
      ),
      each(3, (n) => ['match_row', { row: 3 * page + n, statement: `s${3 * page + n}` }, 'matched'] as const),
    ]),
  },
  {
    name: 'a tax form is checked after each correction, with fewer faults',
    tools: { set_field: 'idempotent', check_form: 'read' },
    steps: rounds(5, (i) => [
      one(
        'check_form',
        {},
        i < 4 ? { faults: each(4 - i, (n) => `field ${n + i} is empty`) } : { faults: [] },
      ),
      one('set_field', { field: i, value: `v${i}` }, 'ok'),
    ]),
  },
];
