import { describe, expect, test } from 'vitest';
import { type Recent, recent } from '../../../shared/agent/plain/recent.ts';

const known = (cache: Recent<string>, ...keys: string[]) =>
  keys.filter((key) => cache.get(key) !== undefined);
const byLength = (most: number) => recent<string>(most, ({ length }) => length);

describe('a bounded cache', () => {
  test('finds values by their own key, the latest one', () => {
    const cache = byLength(100);
    cache.set('acme#s1', 'a');
    cache.set('acme#s10', 'b');
    cache.set('acme#s1', 'c');
    expect([cache.get('acme#s1'), cache.get('acme#s10'), cache.get('acme#s')]).toEqual(['c', 'b', undefined]);
  });

  test('evicts the least recently used values, as many as needed', () => {
    const cache = byLength(35);
    for (const key of ['a', 'b', 'c']) cache.set(key, '0123456789');
    cache.get('a');
    cache.set('b', '0123456789');
    cache.set('d', '0123456789');
    expect(known(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'b', 'd']);
    cache.set('e', '0123456789'.repeat(3));
    expect(known(cache, 'a', 'b', 'c', 'd', 'e')).toEqual(['e']);
  });

  test('never exceeds its size, not even for one value, and frees the size of replaced or deleted values', () => {
    const cache = byLength(25);
    cache.set('a', '0'.repeat(26));
    expect(known(cache, 'a')).toEqual([]);
    cache.set('b', '0'.repeat(20));
    cache.set('b', '0'.repeat(10));
    cache.set('c', '0'.repeat(15));
    expect(known(cache, 'b', 'c')).toEqual(['b', 'c']);
    cache.delete('c');
    cache.delete('c');
    cache.set('d', '0'.repeat(15));
    expect(known(cache, 'b', 'c', 'd')).toEqual(['b', 'd']);
  });

  test('counts values without a size, also an empty one', () => {
    const cache = recent<string>(2);
    for (const key of ['a', 'b', 'c']) cache.set(key, '');
    expect(known(cache, 'a', 'b', 'c')).toEqual(['b', 'c']);
  });
});
