import type { ChannelDefinition, ChannelThread, ChannelTools } from '../agent/define/channel.ts';
import type { Turn, Voice } from './voice.ts';

/** The voice of a channel of the definition. */
export function ownVoice(
  { progress, ask, answer }: ChannelDefinition,
  tools: Omit<ChannelTools, 'signal'>,
): Voice {
  const toolsIn = ({ signal }: Turn): ChannelTools => ({ ...tools, signal });
  return {
    ...(progress && { progress: (turn) => progress(threadOf(turn), toolsIn(turn)) }),
    async ask({ waitId: _, ...asked }, turn) {
      const link = await turn.linkFor(turn.at.person, { ...asked, waitId: _ });
      await ask({ ...asked, link }, threadOf(turn), toolsIn(turn));
    },
    answer: (said, turn) => answer(said, threadOf(turn), toolsIn(turn)),
  };
}

const threadOf = ({ key, at: { thread, place, from } }: Turn): ChannelThread => ({
  ...key,
  thread,
  place,
  from,
});
