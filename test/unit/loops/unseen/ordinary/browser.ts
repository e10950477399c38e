import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

const key = { effect: 'once', acknowledges: ['ok'] } as const;
const click = { effect: 'once', acknowledges: ['ok', 'clicked'] } as const;

export const browser: readonly Run[] = [
  {
    name: 'Down is pressed twelve times in a menu',
    tools: { press_key: { effect: 'once', repeats: 'free' } },
    steps: each(12, () => one('press_key', { key: 'Down' }, 'ok')),
  },
  {
    name: 'next is clicked on ten pages, and each is read',
    tools: { browser_click: click, browser_read: 'read' },
    steps: rounds(10, (i) => [
      one('browser_click', { selector: '#next' }, 'ok'),
      one('browser_read', {}, `Page ${i + 2}: items ${i * 10} to ${i * 10 + 9}`),
    ]),
  },
  {
    name: 'Tab and text through a form of eight fields',
    tools: { press_key: key, type_text: key },
    steps: rounds(8, (i) => [
      one('type_text', { text: `value ${i}` }, 'ok'),
      one('press_key', { key: 'Tab' }, 'ok'),
    ]),
  },
  {
    name: 'a page is scrolled nine times, each with a screenshot',
    tools: { scroll: key, screenshot: 'read' },
    steps: rounds(9, (i) => [
      one('scroll', { by: 600 }, 'ok'),
      one('screenshot', {}, { file: `s${i}.png`, text: `part ${i}` }),
    ]),
  },
  {
    name: 'a button that is not there yet is clicked when it is',
    tools: { click: 'once', wait: 'read' },
    steps: [
      ...rounds(3, () => [
        one('click', { selector: '#pay' }, failed('no element #pay')),
        one('wait', { ms: 500 }, 'ok'),
      ]),
      one('click', { selector: '#pay' }, 'ok'),
    ],
  },
  {
    name: 'five products are put into the basket',
    tools: { open_page: 'once', click: 'once' },
    steps: rounds(5, (i) => [
      one('open_page', { url: `https://shop.example/p/${i}` }, `Product ${i}`),
      one('click', { selector: '#add' }, `In the basket: ${i + 1}`),
    ]),
  },
  {
    name: 'six screenshots of six sizes of window',
    tools: { resize: key, screenshot: 'read' },
    steps: rounds(6, (i) => [
      one('resize', { width: 400 + 100 * i }, 'ok'),
      one('screenshot', {}, { file: `w${i}.png` }),
    ]),
  },
  {
    name: 'a game of arrows: up, left, up, right, with the board after each',
    tools: { arrow: { effect: 'once', repeats: 'free' }, board: 'read' },
    steps: rounds(12, (i) => [
      one('arrow', { to: ['up', 'left', 'up', 'right'][i % 4] }, 'ok'),
      one('board', {}, `score ${4 * i}; ${each(4, (n) => (i * 7 + n * 3) % 9).join(' ')}`),
    ]),
  },
];
