/**
 * Makes something once for each key, also when it is asked for again before that is there; a failure is not remembered. For threads that
 * several functions of one deployment bring. The core's own (`shared/aws/once.ts`) may not be imported here, and remembers failures.
 */
export function onceEach<Made>(make: (key: string) => Promise<Made>): (key: string) => Promise<Made> {
  const known = new Map<string, Promise<Made>>();
  return (key) => {
    const found = known.get(key);
    if (found) return found;
    const made = make(key);
    known.set(key, made);
    made.catch(() => known.delete(key));
    return made;
  };
}
