/** The names of the two tools, unless a code tool has the name. */
export const findName = 'search_tools';
export const callName = 'call_tool';

/** Tools that one search may return, and the default number. */
export const MAX_FOUND = 20;
export const FOUND = 5;
/** Characters of a query. */
export const MAX_QUERY = 500;

/** The input of the two tools. */
export const schemas = {
  find: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        description: 'Words for what the tool should do, in English or as its source would say it.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_FOUND,
        description: `Tools to return. ${FOUND} when absent.`,
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  call: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name as the search has returned it.' },
      arguments: { type: 'object', description: 'The arguments, by the schema of that tool.' },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  },
} as const;
