import { type Fields, fieldsIn, isFields } from '../rule.ts';

/** A part of the conversation with its place, in Gemini's notation. */
export interface Placed {
  readonly part: Fields;
  readonly at: string;
}

export const contentsOf = ({ contents }: Fields): readonly Fields[] => fieldsIn(contents);

export const partsOf = ({ parts }: Fields): readonly Fields[] => fieldsIn(parts);

/** All parts of the conversation. */
export const placedIn = (body: Fields): readonly Placed[] =>
  contentsOf(body).flatMap((content, c) =>
    partsOf(content).map((part, p) => ({ part, at: `contents[${c}].parts[${p}]` })),
  );

/** The calls or the responses in a content. */
export const membersOf = (
  content: Fields | undefined,
  key: 'functionCall' | 'functionResponse',
): readonly Fields[] =>
  (content ? partsOf(content) : []).flatMap((part) => {
    const member = part[key];
    return isFields(member) ? [member] : [];
  });

/** The declared functions. */
export const declarationsOf = ({ tools }: Fields): readonly Fields[] =>
  fieldsIn(tools).flatMap(({ functionDeclarations }) => fieldsIn(functionDeclarations));

/** Kinds of data of a part: each part has exactly one. */
export const DATA = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode'],
  ...['codeExecutionResult', 'toolCall', 'toolResponse'],
];

/** The schemas in a schema, itself included. Each is given with its path. */
export function schemasIn(schema: unknown, path = ''): readonly { schema: Fields; path: string }[] {
  if (Array.isArray(schema)) return schema.flatMap((one, at) => schemasIn(one, `${path}.${at}`));
  if (!isFields(schema)) return [];
  const { properties } = schema;
  const named = isFields(properties) ? Object.entries(properties) : [];
  return [
    { schema, path: path.replace(/^\./, '') },
    ...named.flatMap(([name, one]) => schemasIn(one, `${path}.properties.${name}`)),
    ...['items', 'anyOf', 'oneOf', 'allOf', 'prefixItems', 'not', 'additionalProperties'].flatMap((key) =>
      schemasIn(schema[key], `${path}.${key}`),
    ),
  ];
}
