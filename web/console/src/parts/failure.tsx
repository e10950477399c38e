/** What went wrong, in words, where there is something. */
export function Failure({ error }: { readonly error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert" className="failure">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
