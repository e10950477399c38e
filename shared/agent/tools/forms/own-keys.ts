import { isRecord } from '../../plain/merge.ts';

/** The keys that a form has instead of a tool's own: the tool's key by the form's key. */
export type KeyNames = Readonly<Record<string, string>>;

/** The input of a call, which a model has written by a form, with the tool's own keys. The same object if none was renamed. */
export function withOwnKeys(input: unknown, keys: KeyNames | undefined): unknown {
  if (!keys) return input;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        Object.hasOwn(keys, key) ? (keys[key] ?? key) : key,
        visit(inner),
      ]),
    );
  };
  return visit(input);
}
