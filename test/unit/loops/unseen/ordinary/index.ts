import type { Run } from '../../runs/run.ts';
import { accounts } from './accounts.ts';
import { browser } from './browser.ts';
import { coding } from './coding.ts';
import { data } from './data.ts';
import { house } from './house.ts';
import { operations } from './operations.ts';
import { research } from './research.ts';
import { support } from './support.ts';
import { travel } from './travel.ts';
import { writing } from './writing.ts';

/** Ordinary runs of ten trades, written before the rules that are tried on them. */
export const trades: Readonly<Record<string, readonly Run[]>> = {
  accounts,
  browser,
  coding,
  data,
  house,
  operations,
  research,
  support,
  travel,
  writing,
};
