import { describe, expect, test } from 'vitest';
import { MAX_PAGE_TOOLS, MAX_PAGE_TOOLS_BYTES, offerOf } from '../../../shared/contract/page.ts';

const tool = (name: string, description = 'Shows a map.') => ({
  name,
  description,
  parameters: { type: 'object', properties: {} },
});

describe('the offer of a page', () => {
  test('a tool that is too large leaves the room to the others', () => {
    const offer = offerOf({ tools: [tool('huge', 'x'.repeat(MAX_PAGE_TOOLS_BYTES)), tool('map')] });
    expect(offer?.tools.map(({ name }) => name)).toEqual(['map']);
    expect(offer?.omitted).toMatchObject([
      { tool: 'huge', why: expect.stringContaining('60000 bytes of JSON') },
    ]);
  });

  test('tools that do not fit together are offered as far as they fit', () => {
    const third = 'x'.repeat(MAX_PAGE_TOOLS_BYTES / 3);
    const offer = offerOf({ tools: ['a', 'b', 'c', 'd'].map((name) => tool(name, third)) });
    expect(offer?.tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(offer?.omitted?.map(({ tool }) => tool)).toEqual(['c', 'd']);
  });

  test.each([
    ['a name that models cannot call', [tool('show map'), tool('map')], 'models cannot call'],
    ['a name that is not a text', [{ name: 7 }, tool('map')], 'models cannot call'],
    ['a second tool of a name', [tool('map'), tool('map', 'Another.')], 'is listed twice'],
    [
      'more tools than a page may have',
      Array.from({ length: MAX_PAGE_TOOLS + 1 }, (_, n) => tool(`map${n}`)),
      `after ${MAX_PAGE_TOOLS} others`,
    ],
  ])('%s is left out, with the reason', (_, tools, why) => {
    expect(offerOf({ tools })?.omitted).toMatchObject([{ why: expect.stringContaining(why) }]);
  });

  test('a page that offers and shows nothing has no offer', () => {
    expect(offerOf({ tools: [], context: [], state: {} })).toBeUndefined();
    expect(offerOf({ tools: 'map', context: undefined, state: null })).toBeUndefined();
  });
});
