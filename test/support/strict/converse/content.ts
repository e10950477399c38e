/** Rules of the content and the order of a request of the Converse API. */

import { type Fields, firstOf, isFields, type Rule } from '../rule.ts';
import { blocksOf, membersOf, messagesOf, placedIn } from './read.ts';

const API = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/';

const isBlank = ({ text }: Fields): boolean => typeof text === 'string' && text.trim() === '';

const documentsIn = (body: Fields): readonly Fields[] =>
  placedIn(body).flatMap(({ block: { document } }) => (isFields(document) ? [document] : []));

export const contentRules: readonly Rule<unknown>[] = [
  {
    name: 'the conversation begins with the user',
    source: 'https://github.com/NousResearch/hermes-agent/pull/63983',
    check: ({ body }) =>
      messagesOf(body)[0]?.role === 'user'
        ? undefined
        : 'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
  },
  {
    name: 'the conversation ends with the user',
    source: 'https://github.com/NousResearch/hermes-agent/pull/101401',
    check: ({ body }) =>
      messagesOf(body).at(-1)?.role === 'user'
        ? undefined
        : 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    name: 'roles alternate',
    source: 'https://github.com/langgenius/dify/issues/9294',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, ({ role }, at) =>
        messages[at - 1]?.role === role
          ? 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
          : undefined,
      );
    },
  },
  {
    name: 'a message has content',
    source: 'https://github.com/langchain-ai/langchain/issues/26968',
    check: ({ body }) =>
      firstOf(messagesOf(body), (message, at) =>
        blocksOf(message).length > 0
          ? undefined
          : `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`,
      ),
  },
  {
    name: 'no text is blank',
    source: 'https://github.com/NousResearch/hermes-agent/pull/60628',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ block, at }) =>
        isBlank(block)
          ? `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`
          : undefined,
      ),
  },
  {
    name: 'the id of a call has 1 to 64 letters, digits and _.:-',
    source: 'https://github.com/run-llama/llama_index/pull/22775',
    check: ({ body }) =>
      firstOf(
        messagesOf(body).flatMap((one) => [...membersOf(one, 'toolUse'), ...membersOf(one, 'toolResult')]),
        ({ toolUseId: id }) =>
          typeof id === 'string' && /^[a-zA-Z0-9_.:-]{1,64}$/.test(id)
            ? undefined
            : `Value '${id}' at 'toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+`,
      ),
  },
  {
    name: 'the input of a call is an object',
    source: 'https://github.com/kagent-dev/kagent/pull/1872',
    check: ({ body }) =>
      firstOf(
        messagesOf(body).flatMap((one) => membersOf(one, 'toolUse')),
        ({ input }) =>
          isFields(input)
            ? undefined
            : 'The format of the value at toolUse.input is invalid. Provide a json object.',
      ),
  },
  {
    name: 'the next message has a result for every call',
    source: 'https://github.com/camel-ai/camel/issues/3954',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, (message, at) => {
        const results = membersOf(messages[at + 1], 'toolResult').map(({ toolUseId }) => toolUseId);
        const open = membersOf(message, 'toolUse').filter(({ toolUseId }) => !results.includes(toolUseId));
        return open.length > 0
          ? `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${open.map(({ toolUseId }) => toolUseId).join(', ')}`
          : undefined;
      });
    },
  },
  {
    name: 'there are no more results than calls before them',
    source: 'https://github.com/strands-agents/harness-sdk/issues/1435',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, (message, at) =>
        membersOf(message, 'toolResult').length > membersOf(messages[at - 1], 'toolUse').length
          ? `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`
          : undefined,
      );
    },
  },
  {
    name: 'a result has content',
    source: 'https://github.com/NousResearch/hermes-agent/issues/55092',
    check: ({ body }) =>
      firstOf(
        messagesOf(body).flatMap((one) => membersOf(one, 'toolResult')),
        (result) =>
          blocksOf(result).length > 0
            ? undefined
            : 'The content field in the ToolResultBlock object is empty. Add a ToolResultContentBlock object and try again.',
      ),
  },
  {
    name: 'the name of a document has letters, digits, single spaces, hyphens, parentheses and brackets',
    source: 'https://github.com/vercel/ai/issues/20365',
    check: ({ body }) =>
      firstOf(documentsIn(body), ({ name }) =>
        typeof name === 'string' && name.length <= 200 && /^(?:[A-Za-z0-9_()[\]-]| (?! ))+$/.test(name)
          ? undefined
          : "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
      ),
  },
  {
    name: 'names of documents are unique',
    source: 'https://github.com/anomalyco/opencode/pull/48756',
    check({ body }) {
      const names = documentsIn(body).map(({ name }) => name);
      return names.some((name, at) => names.indexOf(name) < at)
        ? 'The document file name is a duplicate. Provide a unique name for each document and try again.'
        : undefined;
    },
  },
  {
    name: 'a message with a document has text',
    source: `${API}API_runtime_ContentBlock.html`,
    check: ({ body }) =>
      firstOf(messagesOf(body), (message, at) => {
        const blocks = blocksOf(message);
        return blocks.some((one) => 'document' in one) && !blocks.some((one) => 'text' in one)
          ? `Add a text block to messages.${at}.content, which contains a document, and try again.`
          : undefined;
      }),
  },
  {
    name: 'an image has a known format',
    source: `${API}API_runtime_ImageBlock.html`,
    check: ({ body }) =>
      firstOf(placedIn(body), ({ block: { image } }) =>
        !isFields(image) || /^(?:png|jpeg|gif|webp)$/.test(String(image.format))
          ? undefined
          : `Value '${image.format}' at 'image.format' failed to satisfy constraint: Member must satisfy enum value set: [png, jpeg, gif, webp]`,
      ),
  },
  {
    name: 'reasoning is signed',
    source: 'https://github.com/langchain-ai/langchain-aws/issues/844',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ block: { reasoningContent: one }, at }) => {
        if (!isFields(one) || !isFields(one.reasoningText)) return undefined;
        return one.reasoningText.signature
          ? undefined
          : `The model returned the following errors: ${at}: Invalid \`signature\` in \`thinking\` block`;
      }),
  },
];
