/** An error message, if there is an error. */
export function Failure({ error }: { readonly error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert" className="failure">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
