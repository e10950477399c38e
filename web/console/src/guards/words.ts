import type { ReplayedVerdict } from '../../../client/index.ts';
import type { Mark } from './grid.ts';

/** Effects, for people. */
export const effectWords: Readonly<Record<ReplayedVerdict['effect'], string>> = {
  advised: 'Advice to the model',
  unsaid: 'Advice without room',
  warned: 'Warning',
  refused: 'Call refused',
  asked: 'Call put to a person, or refused',
  sent_back: 'Answer sent back',
  calls_dropped: 'Calls dropped',
  text_only: 'Only text allowed',
  recovered: 'End avoided',
  ended: 'Run ended',
  accepted: 'Answer accepted with a remark',
  checked: 'Check by the system',
  allowed: 'Rule does not apply',
};

/** Marks of the grid: their name and their sign. */
export const markWords: Readonly<Record<Mark, { readonly name: string; readonly sign: string }>> = {
  silent: { name: 'silent', sign: '·' },
  told: { name: 'advice or a warning', sign: '○' },
  stopped: { name: 'a call refused, or an answer sent back', sign: '●' },
  ended: { name: 'the run ends', sign: '■' },
  over: { name: 'after the end', sign: '' },
};
