/** A form that a person fills in: flat, as MCP's elicitation has it (modelcontextprotocol.io, "Elicitation", "Requested schema"). */

import * as z from 'zod';

const Option = z.object({ const: z.string(), title: z.string().optional() });
const words = z.string().optional();
const number = z.number().optional();

/** Formats of texts that are read and checked; others count as text. */
const formats = ['date', 'date-time', 'email', 'uri'] as const;

/** One field. */
const Field = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: words,
  description: words,
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  format: z.enum(formats).optional().catch(undefined),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Option).optional(),
  items: z.object({ enum: z.array(z.string()).optional(), anyOf: z.array(Option).optional() }).optional(),
  minimum: number,
  maximum: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
});
export type Field = z.infer<typeof Field>;

/** A form, by the names of its fields. */
export const Form = z.object({
  properties: z.record(z.string(), Field),
  required: z.array(z.string()).optional(),
});
export type Form = z.infer<typeof Form>;

/** A value to choose; `label` is what people read, if it is not the value. */
export interface Choice {
  readonly value: string;
  readonly label?: string | undefined;
}

/** The values of a field of which one, or for a list several, are chosen. Empty for a free field. */
export function choicesOf({ enum: values, enumNames, oneOf, items }: Field): Choice[] {
  const titled = oneOf ?? items?.anyOf;
  if (titled) return titled.map(({ const: value, title: label }) => ({ value, label }));
  return (values ?? items?.enum ?? []).map((value, i) => ({ value, label: enumNames?.[i] }));
}

/** The bounds of a field: of a number, of a text's characters, or of how many values are chosen. */
export const boundsOf = ({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Field) => ({
  least: minimum ?? minLength ?? minItems,
  most: maximum ?? maxLength ?? maxItems,
});
