import * as z from 'zod';
import type { JsonSchema } from './source.ts';

/**
 * The JSON Schema of the input of a zod schema. Types that JSON lacks are described as a model writes them: a `bigint` as an
 * integer, a date parsed from text as that text. Anything else may be any value.
 */
export const inputSchemaOf = (input: z.ZodType): JsonSchema =>
  z.toJSONSchema(input, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema: { _zod: schema }, jsonSchema }) {
      const { type } = schema.def;
      if (type === 'bigint') jsonSchema.type = 'integer';
      if (type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
