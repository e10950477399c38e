import { type Fields, fieldsIn } from '../rule.ts';

/** The items of a request. A text is one message of the user. */
export const itemsOf = ({ input }: Fields): readonly Fields[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : fieldsIn(input);

/** The type of an item; a message need not name it. */
export const typeOf = ({ type, role }: Fields): unknown =>
  type ?? (role === undefined ? undefined : 'message');

/** The parts of a message's content, or of a result; none if it is a text. */
export const partsOf = ({ content, output }: Fields): readonly Fields[] => fieldsIn(content ?? output);
