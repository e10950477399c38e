/** The fields of an object that are not undefined. */
export type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The same fields without those that are undefined: an optional key is there only if it has a value. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const found: Partial<Fields> = {};
  for (const key in fields) if (fields[key] !== undefined) found[key] = fields[key];
  return found as Defined<Fields>;
}
