import { expect, test } from 'vitest';
import { isStop } from '../../../shared/slack/stop-words.ts';

const says = (text: string, ...questions: string[]) => isStop({ text, files: [] }, questions);

test.for([
  ...[
    'stop',
    'Stop!',
    '*stop*',
    ', stop',
    'please stop',
    'Stop it, please!',
    'stop that now',
    'cancel',
    'Halt!',
    'abort',
  ],
  ...['stopp', 'bitte abbrechen', 'Hör auf!', 'brich das ab', 'sofort aufhören', 'Hör bitte auf'],
  ...['arrête', 'Arrêtez, s’il vous plaît', "annule s'il te plaît", 'stop stp', 'ARRÊTE ÇA'],
  ...['para', '¡Para ya!', 'cancela, por favor', 'Detente', '¡alto!', ':octagonal_sign: stop'],
])('%j stops', (text) => {
  expect(says(text)).toBe(true);
});

test.for([
  ...[
    'stop the deployment',
    'cancel order 7',
    'do not stop',
    'don’t stop',
    'please',
    'now',
    '',
    'nonstop',
    'stopwatch',
  ],
  ...[
    'para mañana',
    'halte die Liste kurz',
    'when does it stop?',
    'stop and then start again',
    'unstoppable',
  ],
  'x'.repeat(100_000),
])('%j does not', (text) => {
  expect(says(text)).toBe(false);
});

test('a word that stands in the question is its answer, except "stop"', () => {
  expect(says('cancel', 'Cancel the order, or keep it?')).toBe(false);
  expect(says('cancel', 'Which colour?')).toBe(true);
  expect(says('stop', 'Stop or go on?')).toBe(true);
});

test('what comes with a file or a forward is no stop', () => {
  expect(isStop({ text: 'stop', files: [{ id: 'F1' }] })).toBe(false);
  expect(isStop({ text: 'stop', files: [], attached: 'x' })).toBe(false);
});
