/**
 * Formats a function's log line for a person: `ERROR a run ended badly reason=provider_error …`. Lines in other formats are
 * returned unchanged.
 */
export function readable(line: string): string {
  const parsed = parse(line);
  if (!parsed) return line;
  const { _aws, level, message, timestamp, requestId, stack, causeStack, ...facts } = parsed;
  const said = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`);
  if (_aws) return ['METRIC', ...said].join(' ');
  if (typeof level !== 'string' || typeof message !== 'string') return line;
  const places = [stack, causeStack].flatMap((text) =>
    typeof text === 'string' && text !== '' ? [text] : [],
  );
  return [[level, message, ...said].join(' '), ...places].join('\n');
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
