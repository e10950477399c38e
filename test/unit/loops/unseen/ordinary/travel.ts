import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

export const travel: readonly Run[] = [
  {
    name: 'fourteen days are searched for a flight, without success until the last',
    tools: { search_flights: 'read' },
    steps: each(14, (i) =>
      one(
        'search_flights',
        { from: 'BER', to: 'LIS', date: `2026-05-${10 + i}` },
        i < 13 ? { flights: [] } : { flights: ['TP531'] },
      ),
    ),
  },
  {
    name: 'hotels of five towns, two pages each',
    tools: { search_hotels: 'read' },
    steps: rounds(5, (i) =>
      each(2, (page) => one('search_hotels', { town: `T${i}`, page }, [`hotel ${i}${page}`])),
    ),
  },
  {
    name: 'a room is held, paid and confirmed',
    tools: { hold_room: 'once', pay: 'once', confirm: 'once' },
    steps: [
      one('hold_room', { hotel: 'h1', nights: 2 }, { hold: 'x1' }),
      one('pay', { hold: 'x1', amount: 240 }, { ok: true }),
      one('confirm', { hold: 'x1' }, { code: 'QW12' }),
    ],
  },
  {
    name: 'four travellers get a seat each',
    tools: { seat_map: 'read', book_seat: 'once' },
    steps: rounds(4, (i) => [
      one('seat_map', { flight: 'TP531' }, { free: 40 - i }),
      one('book_seat', { flight: 'TP531', traveller: i, seat: `${12}${'ABCD'[i]}` }, 'booked'),
    ]),
  },
  {
    name: 'a booking fails on a stale price, is quoted again and goes through',
    tools: { quote: 'read', book: 'once' },
    steps: [
      one('quote', { flight: 'X1' }, { price: 100 }),
      one('book', { flight: 'X1', price: 100 }, failed('price changed')),
      one('quote', { flight: 'X1' }, { price: 108 }),
      one('book', { flight: 'X1', price: 108 }, failed('price changed')),
      one('quote', { flight: 'X1' }, { price: 110 }),
      one('book', { flight: 'X1', price: 110 }, { code: 'B1' }),
    ],
  },
  {
    name: 'the weather of eight towns, sunny in all of them',
    tools: { get_weather: 'read' },
    steps: each(8, (i) => one('get_weather', { town: `T${i}` }, 'sunny')),
  },
  {
    name: 'a waiting list is looked at until a place is free',
    tools: { check_waitlist: 'read' },
    steps: each(9, (i) =>
      one('check_waitlist', { booking: 'b1' }, { position: i < 8 ? Math.max(1, 5 - i) : 0 }),
    ),
  },
  {
    name: 'trains are compared: price, time and changes of six connections',
    tools: { get_connection: 'read', get_price: 'read' },
    steps: each(6, (i) => [
      ['get_connection', { id: i }, { hours: 4 + (i % 2), changes: i % 3 }] as const,
      ['get_price', { id: i }, { price: 49 }] as const,
    ]),
  },
];
