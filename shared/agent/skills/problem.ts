import { defined } from '../plain/defined.ts';

/** Something that is wrong with a skill, or that a person should look at. */
export interface SkillProblem {
  /** An `error` keeps the skill from being used; a `warning` does not. */
  readonly level: 'error' | 'warning';
  /** Path below the skill's folder. */
  readonly file: string;
  /** Line in that file, from 1. */
  readonly line?: number;
  /** A sentence that says what to do. */
  readonly text: string;
}

/** Makes a problem of a file. */
export const problem = (
  level: SkillProblem['level'],
  file: string,
  text: string,
  line?: number,
): SkillProblem => ({ level, file, text, ...defined({ line }) });

/** A problem as one line that editors can open, below the skill's folder. */
export const problemLine = ({ level, file, line, text }: SkillProblem, folder: string): string =>
  `${folder}/${file}${line === undefined ? '' : `:${line}`}: ${level === 'warning' ? 'warning: ' : ''}${text}`;
