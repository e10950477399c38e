/** Rules of prompt cache markers. */

import { type Fields, fieldsIn, firstOf, isFields, type Rule } from '../rule.ts';
import type { GivenBlocks } from './given.ts';
import { messagesOf } from './read.ts';

interface Mark {
  readonly place: string;
  readonly block: Fields;
  readonly mark: Fields;
}

/** Markers in the order in which the server reads them: tools, system, messages. */
function marksOf(body: Fields): readonly Mark[] {
  const marks: Mark[] = [];
  const add = (place: string, block: Fields) => {
    if (isFields(block.cache_control)) marks.push({ place, block, mark: block.cache_control });
  };
  fieldsIn(body.tools).forEach((tool, at) => {
    add(`tools.${at}`, tool);
  });
  fieldsIn(body.system).forEach((block, at) => {
    add(`system.${at}`, block);
  });
  messagesOf(body).forEach(({ content }, message) => {
    content.forEach((block, at) => {
      add(`messages.${message}.content.${at}`, block);
      fieldsIn(block.content).forEach((inner, i) => {
        add(`messages.${message}.content.${at}.content.${i}`, inner);
      });
    });
  });
  return marks;
}

const DOCS = 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching';

export const cacheRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'at most four marks',
    source: 'https://github.com/Wei-Shaw/sub2api/issues/176',
    check({ body }) {
      // The marker of the whole request takes one of the four places.
      const count = marksOf(body).length + (isFields(body.cache_control) ? 1 : 0);
      return count <= 4
        ? undefined
        : `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`;
    },
  },
  {
    name: 'a mark of one hour comes before those of five minutes',
    source: 'https://github.com/headroomlabs-ai/headroom/issues/2939',
    check({ body }) {
      const marks = marksOf(body);
      return firstOf(marks, ({ place, mark }, at) => {
        const isLate = mark.ttl === '1h' && marks.slice(0, at).some((other) => other.mark.ttl !== '1h');
        return isLate
          ? `${place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`
          : undefined;
      });
    },
  },
  {
    name: 'a mark is ephemeral, for 5m or 1h',
    source: DOCS,
    check: ({ body }) =>
      firstOf(marksOf(body), ({ place, mark: { type, ttl } }) => {
        if (type !== 'ephemeral') return `${place}.cache_control.type: Input should be 'ephemeral'`;
        if (ttl === undefined || ttl === '5m' || ttl === '1h') return undefined;
        return `${place}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`;
      }),
  },
  {
    name: 'no mark stands on an empty text',
    source: DOCS,
    check: ({ body }) =>
      firstOf(marksOf(body), ({ place, block }) =>
        block.type === 'text' && block.text === ''
          ? `${place}.text: cache_control cannot be set for empty text blocks`
          : undefined,
      ),
  },
];
