/**
 * Makes a value once for each key, also if it is requested again while it is being made. Failures are not cached. It is for
 * threads that several functions of one deployment share. The core's own version (`shared/aws/once.ts`) may not be imported here,
 * and it caches failures.
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
