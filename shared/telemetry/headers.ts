/**
 * Headers in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, separated by commas, values percent-encoded.
 * Malformed entries are left out.
 */
export function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    return at > 0 && /^[\w-]+$/.test(name) ? [[name.toLowerCase(), decoded(pair.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(pairs);
}

/** People also write values without encoding: `Basic dXNlcjoxMDAl`. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
