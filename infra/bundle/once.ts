/** Makes each thing once and remembers it; what failed is tried again. For threads that several functions of one deployment bring. */
export function once<Made>(make: (name: string) => Promise<Made>): (name: string) => Promise<Made> {
  const known = new Map<string, Promise<Made>>();
  return (name) => {
    const made = known.get(name) ?? make(name);
    known.set(name, made);
    made.catch(() => known.delete(name));
    return made;
  };
}
