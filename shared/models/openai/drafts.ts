import { isTooDeep, MAX_DEPTH } from '../../agent/plain/depth.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { type JsonEnd, jsonEnd } from './json-end.ts';
import { joinFields, unknownIn } from './kept.ts';

/** A native call while it streams. */
export interface CallDraft {
  readonly index: unknown;
  id: string | undefined;
  name: string;
  json: string;
  readonly end: JsonEnd;
  /** Unknown fields of the call, and of its `function`. */
  call: Json;
  function: Json;
}

/** Gathers the calls of a reply from their pieces. */
export interface CallDrafts {
  /** Takes the calls of a delta, and returns how many characters they have. */
  take(delta: Json): number;
  all(): readonly CallDraft[];
}

const OF_CALL: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
const OF_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);

/**
 * Servers number the pieces of parallel calls by `index`, but many do so badly: all are 0, or there is no index, or ids
 * are empty (ollama/ollama#15457, NousResearch/hermes-agent#57939). So a new call begins with another id, with another
 * name, or with arguments that start again after a whole value.
 *
 * @param names of the tools that the model was offered: some gateways send a name in pieces
 */
export function callDrafts(names: readonly string[]): CallDrafts {
  const drafts: CallDraft[] = [];

  const take = (piece: Json, before: readonly CallDraft[]): number => {
    const said = objectAt(piece, 'function');
    const id = stringAt(piece, 'id');
    const name = stringAt(said, 'name') ?? '';
    const json = argumentsOf(said);
    const known = knownFor(drafts, before, piece, id);
    if (known && isRepeated(known, id, json)) return 0;
    const goesOn = known && belongs(known, { id, name, json }, names);
    // A call that begins with nothing but arguments calls the same tool as the call before it.
    const draft = goesOn
      ? known
      : begun(drafts, piece, id, id === undefined && name === '' ? known?.name : '');
    draft.id ??= id;
    draft.name = nameWith(draft, name, names);
    // Some gateways begin with an empty object and then send the arguments.
    draft.json = draft.json === '{}' && beginsAnew(json) ? json : draft.json + json;
    draft.end.take(json);
    draft.call = joinFields(draft.call, unknownIn(piece, OF_CALL));
    draft.function = joinFields(draft.function, unknownIn(said, OF_FUNCTION));
    return json.length;
  };

  return {
    take(delta) {
      const legacy = isObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : [];
      const pieces = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isObject) : legacy;
      const before = [...drafts];
      return pieces.reduce((length, piece) => length + take(piece, before), 0);
    },
    all: () => drafts,
  };
}

/** The newest call that a piece may continue. If pieces of one chunk have no index, each named one is a call of its own. */
function knownFor(
  drafts: readonly CallDraft[],
  before: readonly CallDraft[],
  { index, function: said }: Json,
  id: string | undefined,
): CallDraft | undefined {
  const isCounted = index !== undefined && index !== null;
  const same = id === undefined ? undefined : drafts.findLast((draft) => draft.id === id);
  if (same && (!isCounted || same.index === index)) return same;
  if (isCounted) return drafts.findLast((draft) => draft.index === index);
  const isNamed = isObject(said) && stringAt(said, 'name') !== undefined;
  return (isNamed ? before : drafts).at(-1);
}

interface Piece {
  readonly id: string | undefined;
  readonly name: string;
  readonly json: string;
}

/** Whether a piece continues a call, rather than beginning another. */
function belongs(known: CallDraft, { id, name, json }: Piece, names: readonly string[]): boolean {
  const isOther = id !== undefined && known.id !== undefined && id !== known.id;
  // Some gateways give each piece an id of its own: one without a name continues arguments that are not whole yet.
  if (isOther) return name === '' && json !== '' && !known.end.isBlank() && !known.end.isWhole();
  const hasNew = name !== '' && name !== known.name && known.name !== '';
  if (hasNew && !(known.end.isBlank() && isInPieces(known.name, name, names))) return false;
  const isEmpty = known.json === '{}' && name === '';
  return isEmpty || !(known.end.isWhole() && beginsAnew(json));
}

/**
 * Whether two pieces are parts of one name: joined, or the second one alone, they begin a tool's name, and the first is
 * no tool's name.
 */
const isInPieces = (first: string, second: string, names: readonly string[]): boolean =>
  !names.includes(first) &&
  names.some((name) => name.startsWith(first + second) || (second.startsWith(first) && name === second));

function nameWith(draft: CallDraft, name: string, names: readonly string[]): string {
  if (draft.name === '' || name === '' || name === draft.name) return draft.name || name;
  return name.startsWith(draft.name) && names.includes(name) ? name : draft.name + name;
}

/** A server that sends a whole call twice, under one id. */
const isRepeated = (known: CallDraft, id: string | undefined, json: string): boolean =>
  id !== undefined && known.id === id && json !== '' && known.end.isWhole() && known.json === json;

const beginsAnew = (json: string): boolean => /^\s*[{[]/.test(json);

function begun(drafts: CallDraft[], { index }: Json, id: string | undefined, name = ''): CallDraft {
  const draft = { index, id, name, json: '', end: jsonEnd(), call: {}, function: {} };
  drafts.push(draft);
  return draft;
}

function argumentsOf(said: Json): string {
  if (isObject(said.arguments)) return textOfObject(said.arguments);
  return stringAt(said, 'arguments') ?? '';
}

/** Arguments that a server sends as an object; if they are nested too deep to be serialized, a text that is not JSON. */
const textOfObject = (given: Json): string =>
  isTooDeep(given) ? `nested deeper than ${MAX_DEPTH} levels` : JSON.stringify(given);
