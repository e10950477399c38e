import type * as z from 'zod';
import { type AnswerSchema, askedBy } from '../../define/answer.ts';
import { answerGuard } from '../../guardrails/answers/answer.ts';
import type { AnyGuard, GivenAnswer } from '../../guardrails/guard.ts';
import { canonicalJson } from '../../plain/hash.ts';
import { objectsIn } from '../../plain/objects.ts';
import type { Pinned, PinnedAnswer } from '../../session/pinned.ts';
import type { Spoken } from '../../session/verdict.ts';
import { loadReaders } from '../../tools/json-schema.ts';

/** How the answers of a session that answers with objects are read. */
export interface Answers {
  /** Sends back answers that are not valid. */
  readonly guard: AnyGuard;
  /**
   * The object in a reply.
   *
   * @param texts texts that may be the answer: the first that fits is used
   */
  readonly read: (texts: readonly string[]) => GivenAnswer;
  /** How a run ends without a valid object. */
  readonly failed: (given: Unfit) => Extract<Spoken, { kind: 'halt' }>;
}

type Unfit = Extract<GivenAnswer, { kind: 'unfit' }>;

/** Characters of JSON that an answer may have: it is sent with the end of its run, twice, and is part of HEAD until the next step. */
const MAX_CHARS = 16_000;
/** Issues of an answer that the model is told, and characters of each. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 300;

/** Reads the answers of a session that declares them, by the schema of the deployed agent or by the pinned one. */
export async function openAnswers(
  pinned: PinnedAnswer,
  { answer: config }: Pick<Pinned['guardrails'], 'answer'>,
  deployed: AnswerSchema | undefined,
): Promise<Answers> {
  const schema = await schemaOf(pinned, deployed);
  return {
    guard: answerGuard(config),
    read: (texts) => {
      const given = texts.map((text) => readOne(text, schema));
      return given.find(({ kind }) => kind === 'fits') ?? given[0] ?? { kind: 'unfit', issues: [NONE] };
    },
    failed: ({ issues }) => ({
      kind: 'halt',
      guard: 'answer',
      state: 'error',
      reason: 'answer_invalid',
      code: 'answer_invalid',
      message: `The run was to answer with an object, and did not. ${issues[0] ?? ''}`.trim(),
    }),
  };
}

const NONE = 'There is no JSON object in it.';

/**
 * The code's own schema knows more than JSON Schema can express, and applies as long as it asks for the same. If a deploy
 * changed it during the session, the session keeps the schema that it began with.
 */
async function schemaOf({ schema }: PinnedAnswer, deployed: AnswerSchema | undefined): Promise<z.ZodType> {
  if (deployed && canonicalJson(askedBy(deployed)) === canonicalJson(schema)) return deployed;
  const readerOf = await loadReaders(schema);
  return readerOf(schema);
}

function readOne(text: string, schema: z.ZodType): GivenAnswer {
  const objects = objectsIn(text);
  const read = objects.map((object) => parsed(schema, object));
  const fits = read.flatMap((one) => (one.kind === 'fits' ? [one] : []));
  const [only, ...others] = new Map(fits.map((one) => [canonicalJson(one.object), one])).values();
  if (others.length > 0)
    return unfit([`There are ${others.length + 1} objects in it that fit: give the one that is the answer.`]);
  return only ?? read.at(-1) ?? unfit([NONE]);
}

function parsed(schema: z.ZodType, object: object): GivenAnswer {
  try {
    const sent = asSent(object);
    // Checked before the schema runs, which may be slow on large input.
    if (sent.chars > MAX_CHARS) return tooLarge(sent.chars);
    const { success, data, error } = schema.safeParse(sent.value);
    if (!success) return unfit(error.issues.map(sentence));
    // The schema may fill in more than there was.
    const { chars, value } = asSent(data);
    return chars > MAX_CHARS ? tooLarge(chars) : { kind: 'fits', object: value };
  } catch (error) {
    // A check that throws, or an asynchronous one: no answer can pass it.
    return unfit([`Its schema cannot read it: ${error instanceof Error ? error.message : 'it threw'}`]);
  }
}

/** An object as its receivers get it: without infinities, and without the `__proto__` key. */
function asSent(object: unknown): {
  readonly chars: number;
  readonly value: Readonly<Record<string, unknown>>;
} {
  const text = JSON.stringify(object);
  const value = JSON.parse(text, (key, inner) => (key === '__proto__' ? undefined : inner));
  return { chars: text.length, value };
}

const tooLarge = (chars: number): Unfit =>
  unfit([`The object has ${chars} characters, and may have ${MAX_CHARS}: say less.`]);

const sentence = ({ path, message }: z.core.$ZodIssue): string =>
  `${path.join('.') || 'the object'}: ${message}`;

const unfit = (issues: readonly string[]): Unfit => ({
  kind: 'unfit',
  issues: issues.slice(0, MAX_ISSUES).map((issue) => issue.slice(0, MAX_ISSUE_CHARS).toWellFormed()),
});
