import { isRecord, own } from '../../plain/merge.ts';
import { mayFit, partsFor, type SchemaIn, schemaIn } from './fits.ts';
import { type Repair, schemaOf } from './repair.ts';
import { textAsJson } from './text.ts';

/**
 * Arguments that are not an object themselves, but mean exactly one:
 *
 * - JSON text of the object, which servers and models encode twice (vllm-project/vllm#54964, MoonshotAI/kimi-cli#2513), also with
 *   small faults that have one reading (`plain/lenient-json.ts`; inngest/agent-kit#330);
 * - an array of one object (NousResearch/hermes-agent#58057);
 * - `null`, for a tool that needs none;
 * - the object under a key that its schema does not have, such as `arguments` or `input`.
 */
export const inputAsMeant: Repair = (call, pinned) => {
  const schema = schemaOf(call, pinned);
  if (!schema) return call;
  const given = isRecord(call.input) ? call.input : objectIn(call.input);
  const input = given && unwrapped(given, call.name, schemaIn(schema));
  return input === undefined || input === call.input ? call : { ...call, input };
};

type Input = Readonly<Record<string, unknown>>;

/** Nested texts that are read. */
const MAX_TEXTS = 3;

function objectIn(given: unknown): Input | undefined {
  let value = given;
  for (let n = 0; n < MAX_TEXTS && typeof value === 'string'; n += 1) value = textAsJson(value);
  if (value === null) return {};
  const [only, ...more] = Array.isArray(value) ? value : [value];
  return isRecord(only) && more.length === 0 ? only : undefined;
}

/** Keys under which models put the arguments: those of calls in the formats that they were trained on. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'input',
  'parameters',
  'params',
  'kwargs',
]);
/** Keys that may stand beside them. */
const BESIDE: ReadonlySet<string> = new Set(['name', 'tool', 'tool_name', 'function', 'type', 'id']);

/**
 * The object under the only wrapper, if the tool has no property of that name and takes no others, and each property of the
 * object is one of the tool's.
 */
function unwrapped(input: Input, tool: string, on: SchemaIn): Input {
  const keys = Object.keys(input);
  const [wrapper, ...more] = keys.filter((key) => WRAPPERS.has(key));
  if (wrapper === undefined || more.length > 0 || !keys.every((key) => key === wrapper || BESIDE.has(key)))
    return input;
  const inner = objectIn(input[wrapper]);
  if (!inner) return input;
  const parts = partsFor(inner, on);
  const takes = (key: string) =>
    parts.some(({ properties }) => isRecord(properties) && own(properties, key) !== undefined);
  const takesOthers = parts.some(
    ({ additionalProperties: others, patternProperties }) =>
      others === true || isRecord(others) || patternProperties !== undefined,
  );
  const isClosed = parts.some(({ additionalProperties: others }) => others === false);
  if (Object.keys(inner).length === 0 && !isClosed) return input;
  if (keys.some(takes) || takesOthers || !Object.keys(inner).every(takes) || !mayFit(inner, on)) return input;
  const named = input.name ?? input.tool ?? input.tool_name;
  return named === undefined || named === tool ? inner : input;
}
