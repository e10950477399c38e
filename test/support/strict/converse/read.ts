import { type Fields, fieldsIn, isFields } from '../rule.ts';

/** A block with its place, in Bedrock's notation. */
export interface Placed {
  readonly block: Fields;
  readonly at: string;
}

export const messagesOf = ({ messages }: Fields): readonly Fields[] => fieldsIn(messages);

/** The blocks of a message. */
export const blocksOf = ({ content }: Fields): readonly Fields[] => fieldsIn(content);

/** All blocks of a request, with those in results. */
export const placedIn = (body: Fields): readonly Placed[] =>
  messagesOf(body).flatMap((message, m) =>
    blocksOf(message).flatMap((block, b) => {
      const at = `messages.${m}.content.${b}`;
      const inner = isFields(block.toolResult) ? blocksOf(block.toolResult) : [];
      return [{ block, at }, ...inner.map((one, i) => ({ block: one, at: `${at}.toolResult.content.${i}` }))];
    }),
  );

/** The declared tools. */
export const specsOf = ({ toolConfig }: Fields): readonly Fields[] =>
  (isFields(toolConfig) ? fieldsIn(toolConfig.tools) : []).flatMap(({ toolSpec }) =>
    isFields(toolSpec) ? [toolSpec] : [],
  );

/** The calls or the results in a message. */
export const membersOf = (message: Fields | undefined, key: 'toolUse' | 'toolResult'): readonly Fields[] =>
  (message ? blocksOf(message) : []).flatMap((block) => {
    const member = block[key];
    return isFields(member) ? [member] : [];
  });
