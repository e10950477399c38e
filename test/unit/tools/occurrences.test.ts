import fc from 'fast-check';
import { expect, it } from 'vitest';
import { occurrences } from '../../../tools/plain/occurrences.ts';

const alike = fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00'), maxLength: 40 });

it('finds the same as a search from one place to the next', () => {
  fc.assert(
    fc.property(
      alike,
      alike.filter((part) => part !== ''),
      (text, part) => {
        const places: number[] = [];
        for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
        expect([...occurrences(text, part)]).toEqual(places);
      },
    ),
  );
});
