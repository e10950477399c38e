import type { ToolContext } from '../../shared/agent/define/index.ts';

/** The time zones of the people for whom a call is made, as far as they are known. */
export const zonesOf = ({ requesters }: Pick<ToolContext, 'requesters'>): readonly string[] =>
  requesters.flatMap(({ zone }) => zone ?? []);
