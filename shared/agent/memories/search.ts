/**
 * Full text search over the facts of a memory. An index lives for one search: facts are read again each time, so a forgotten
 * fact is never found. Indexing 1,000 facts takes about 100 ms if each is a sentence, and half a second if each has the full
 * 2,000 characters.
 */

import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stopwords as englishWords } from '@orama/stopwords/english';
import { stopwords as frenchWords } from '@orama/stopwords/french';
import { stopwords as germanWords } from '@orama/stopwords/german';
import { stopwords as spanishWords } from '@orama/stopwords/spanish';
import MiniSearch from 'minisearch';
import type { Fact } from './store.ts';

const stemmers = [english, german, french, spanish];
/** Hits below this share of the best score only match some frequent word. */
const LEAST_OF_BEST = 0.1;
/** Characters of a word, and words of a query, that are used: longer ones are not words, and would be slow. */
const MAX_WORD = 40;
const MAX_ASKED = 60;
/** Shorter words must match exactly, because one letter more or less makes another word. */
const MIN_INEXACT = 5;

/**
 * The facts that match a query, best first, the newer one first among equals. Words are found in other forms (English, German,
 * French and Spanish), with or without accents, by their beginning, and with one or two typing errors. Pure.
 */
export function searchFacts<F extends Pick<Fact, 'text' | 'at'>>(facts: readonly F[], query: string): F[] {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    tokenize: wordsOf,
    processTerm: remembering(formsOf),
    searchOptions: {
      tokenize: askedWords,
      prefix: (term) => term.length >= MIN_INEXACT - 1,
      fuzzy: (term) => (term.length >= MIN_INEXACT ? 0.2 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.4, fuzzy: 0.3 },
    },
  });
  index.addAll(facts.map(({ text }, id) => ({ id, text })));
  const hits = index.search(query);
  const least = (hits[0]?.score ?? 0) * LEAST_OF_BEST;
  return hits
    .flatMap(({ id, score }) => {
      const fact = facts[id];
      return fact && score >= least ? [{ fact, score }] : [];
    })
    .sort((a, b) => b.score - a.score || b.fact.at - a.fact.at)
    .map(({ fact }) => fact);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;

function wordsOf(text: string): string[] {
  const words = UNSPACED.test(text)
    ? Array.from(segmenter.segment(text), ({ segment, isWordLike }) => (isWordLike ? segment : ''))
    : text.split(/[^\p{L}\p{N}\p{M}]+/u);
  return words.filter(Boolean).map((word) => word.slice(0, MAX_WORD));
}

const frequent = new Set([englishWords, frenchWords, germanWords, spanishWords].flat().map(folded));

/** The words of a query that carry its meaning; all words if none does. */
function askedWords(query: string): string[] {
  const words = wordsOf(query);
  const telling = words.filter((word) => !frequent.has(folded(word)));
  return (telling.length > 0 ? telling : words).slice(0, MAX_ASKED);
}

/** Without case and accents. */
function folded(word: string): string {
  return word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
}

/** Remembers the result for each word: most words repeat, and stemming in four languages is most of the work. */
function remembering(of: (word: string) => string[]): (word: string) => string[] {
  const known = new Map<string, string[]>();
  return (word) => {
    const forms = known.get(word) ?? of(word);
    known.set(word, forms);
    return forms;
  };
}

/** A word, and its stem in each language, because the language of a fact is unknown. */
function formsOf(word: string): string[] {
  const lower = word.toLowerCase();
  return [...new Set([lower, ...stemmers.map((stem) => stem(lower))].map(folded))].filter(Boolean);
}
