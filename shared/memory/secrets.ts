import type { Secrets } from '../edge/secrets.ts';

/** Secrets in memory, by id. A change of `values` is seen at once. */
export function createSecrets(values: Readonly<Record<string, string>>): Secrets {
  const get = async (id: string): Promise<string> => {
    const value = Object.hasOwn(values, id) ? values[id] : undefined;
    if (!value) throw new Error(`there is no secret ${id}`);
    return value;
  };
  return { get, refresh: get };
}
