import type { Json, TemplateParameter } from './types.ts';

/**
 * The value of each template parameter: the given value or its default. Lists are split at commas. Throws for a given name that
 * the template does not declare, a missing value, or one outside of its AllowedValues, AllowedPattern, MinValue or MaxValue.
 */
export function parameterValues(
  declared: Record<string, TemplateParameter>,
  given: Record<string, string>,
): Record<string, Json> {
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) {
    throw new Error(
      `unknown template parameter ${unknown.join(', ')}; the template declares: ${Object.keys(declared).join(', ') || 'none'}`,
    );
  }
  const missing = Object.keys(declared).filter(
    (name) => given[name] === undefined && declared[name]?.Default === undefined,
  );
  if (missing.length > 0) {
    throw new Error(
      `template parameter ${missing.join(', ')} has no default: give it in startStack({ parameters })`,
    );
  }
  return Object.fromEntries(
    Object.entries(declared).map(([name, parameter]) => [name, effectiveValue(name, parameter, given[name])]),
  );
}

function effectiveValue(name: string, parameter: TemplateParameter, given: string | undefined): Json {
  const value = given ?? parameter.Default ?? '';
  const problem = problemOf(parameter, String(value));
  if (problem) throw new Error(`template parameter ${name} must be ${problem}, not ${JSON.stringify(value)}`);
  if (parameter.Type === 'CommaDelimitedList' || parameter.Type.startsWith('List<')) {
    return String(value)
      .split(',')
      .map((entry) => entry.trim());
  }
  return String(value);
}

function problemOf(parameter: TemplateParameter, value: string): string | undefined {
  const { AllowedValues, AllowedPattern, MinValue = -Infinity, MaxValue = Infinity } = parameter;
  if (AllowedValues && !AllowedValues.map(String).includes(value))
    return `one of ${AllowedValues.join(', ')}`;
  // CloudFormation matches the whole value, whether or not the pattern is anchored.
  if (AllowedPattern && !new RegExp(`^(?:${AllowedPattern})$`).test(value)) return `like ${AllowedPattern}`;
  if (parameter.Type !== 'Number') return undefined;
  const inRange = value.trim() !== '' && Number(value) >= MinValue && Number(value) <= MaxValue;
  return inRange ? undefined : `a number from ${MinValue} to ${MaxValue}`;
}
