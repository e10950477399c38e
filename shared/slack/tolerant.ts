import type * as z from 'zod';

/** What Slack sent, as far as it can be read, and the shape of the rest. */
export interface Read<Value> {
  /** Undefined if a field is odd without which the rest means nothing. */
  readonly value?: Value;
  /** Odd fields, as `files.0.size: string`. Never their content: it may be a person's words. */
  readonly odd: readonly string[];
}

/** Rounds of leaving fields out. Each leaves out all that is odd, so a second round is rare. */
const ROUNDS = 10;
/** Odd fields that are named. */
const NAMED = 20;

/**
 * Reads a body field by field: a field that is not as Slack documents it is left out, and what is too long is cut, so that
 * one of them does not lose a person's message. An element of a list that lacks what it needs is left out whole.
 */
export function readTolerantly<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): Read<z.output<Schema>> {
  const odd: string[] = [];
  const note = (path: readonly PropertyKey[], of: unknown) => {
    if (odd.length < NAMED) odd.push(shapeOf(path, of));
  };
  let rest = body;
  for (let round = 0; round < ROUNDS; round++) {
    const parsed = schema.safeParse(rest);
    if (parsed.success) return { value: parsed.data, odd };
    if (round === 0) rest = structuredClone(body);
    const gone: Gone[] = [];
    for (const issue of parsed.error.issues) {
      note(issue.path, rest);
      if (!mend(rest, issue, gone)) return { odd };
    }
    // Afterwards, because issues name the elements of lists by their places.
    for (const { list, element } of gone) list.splice(list.indexOf(element), list.includes(element) ? 1 : 0);
  }
  return { odd };
}

interface Gone {
  readonly list: unknown[];
  readonly element: unknown;
}

/** Leaves out the field of an issue, or cuts it. False if there is nothing to leave out. */
function mend(body: unknown, issue: z.core.$ZodIssue, gone: Gone[]): boolean {
  const { path } = issue;
  const holder = at(body, path.slice(0, -1)) as Record<PropertyKey, unknown> | undefined;
  const key = path.at(-1);
  if (key === undefined) return false;
  // Left out already, as a whole.
  if (holder === undefined) return true;
  const value = holder[key];
  if (issue.code === 'too_big' && (typeof value === 'string' || Array.isArray(value)))
    holder[key] = value.slice(0, Number(issue.maximum));
  else if (value !== undefined) leaveOut(body, path, gone);
  // An object without a required field is odd as a whole.
  else if (path.length > 1) leaveOut(body, path.slice(0, -1), gone);
  else return false;
  return true;
}

function leaveOut(body: unknown, path: readonly PropertyKey[], gone: Gone[]): void {
  const holder = at(body, path.slice(0, -1)) as Record<PropertyKey, unknown>;
  const key = path.at(-1) ?? '';
  if (Array.isArray(holder)) gone.push({ list: holder, element: holder[Number(key)] });
  else delete holder[key];
}

const at = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    body,
  );

const shapeOf = (path: readonly PropertyKey[], body: unknown): string => {
  const value = at(body, path);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  return `${path.map(String).join('.').slice(0, 100)}: ${kind}`;
};
