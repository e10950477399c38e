/**
 * Evaluates the supported part of identity policies. This is our own code, because the well-maintained evaluator is under the
 * AGPL, which users of this project have not agreed to (docs/adr/0009-iam-on-the-laptop.md).
 */

import { ACCOUNT, REGION } from '../identity.ts';
import { isObject, type Json } from '../template/types.ts';

/** One statement of an identity policy, ready for evaluation. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly RegExp[];
  readonly resources: readonly RegExp[];
  /** All must hold. */
  readonly conditions: readonly Condition[];
}

/** `values`: one must match the key's value; if the key has several values, each of them must match. */
interface Condition {
  readonly key: string;
  readonly negated: boolean;
  readonly values: readonly RegExp[];
}

/** The permission that a call needs. */
export interface Wanted {
  /** `dynamodb:GetItem` */
  readonly action: string;
  /** An ARN; `*` for actions without a resource. */
  readonly resource: string;
  /** Partition keys of the items that the call names; undefined if they are unknown. */
  readonly leadingKeys?: readonly string[];
  /** Values of condition keys that depend on the call, by their names in lower case. */
  readonly context?: Readonly<Record<string, string>>;
}

/** The condition key with several values, so only `ForAllValues:` compares it. */
const LEADING_KEYS = 'dynamodb:leadingkeys';
const FOR_ALL = 'ForAllValues:';

/** Keys of pairs of a call's encryption context: `kms:EncryptionContext:name`. */
const ENCRYPTION_CONTEXT = 'kms:encryptioncontext:';

/** Condition keys with the same value for every call here. */
const CONTEXT: Readonly<Record<string, string>> = {
  'aws:securetransport': 'true',
  'aws:principalaccount': ACCOUNT,
  'aws:resourceaccount': ACCOUNT,
  'aws:sourceaccount': ACCOUNT,
  'aws:requestedregion': REGION,
  // Nothing is encrypted here, so no service uses a key for its caller.
  'kms:viaservice': '',
  // The emulated mailbox takes mails without asking for permissions.
  'ses:fromaddress': '',
};

/** Operators that compare texts, with or without wildcards. */
const OPERATORS: Readonly<Record<string, { negated: boolean; wild: boolean }>> = {
  StringEquals: { negated: false, wild: false },
  StringNotEquals: { negated: true, wild: false },
  StringLike: { negated: false, wild: true },
  StringNotLike: { negated: true, wild: true },
  ArnEquals: { negated: false, wild: true },
  ArnLike: { negated: false, wild: true },
  Bool: { negated: false, wild: false },
};

/**
 * The statements of a policy document. Throws and names the part if it has features that cannot be evaluated here: a guess would
 * allow calls that AWS refuses, or refuse calls that it allows.
 */
export function statementsOf(document: Json | undefined): Statement[] {
  const statements = isObject(document ?? null) ? (document as { Statement?: Json }).Statement : undefined;
  return listOf(statements).map(statementOf);
}

/** Whether the statements allow it. A matching `Deny` takes precedence over every `Allow`. */
export function verdictOn(
  wanted: Wanted,
  statements: readonly Statement[],
): 'allowed' | 'denied' | 'not_allowed' {
  const { action, resource } = wanted;
  const about = statements.filter(
    ({ effect, actions, resources, conditions }) =>
      actions.some((one) => one.test(action)) &&
      resources.some((one) => one.test(resource)) &&
      conditions.every((condition) => holds(condition, wanted, effect)),
  );
  if (about.some(({ effect }) => effect === 'Deny')) return 'denied';
  return about.length > 0 ? 'allowed' : 'not_allowed';
}

/** Whether the decision on a call depends on more than its action and its resource. */
export const looksAtKeys = (statements: readonly Statement[]): boolean =>
  statements.some(({ conditions }) => conditions.some(({ key }) => key.toLowerCase() === LEADING_KEYS));

/** An unknown value never grants access. */
function holds({ key, negated, values }: Condition, wanted: Wanted, effect: Statement['effect']): boolean {
  const name = key.toLowerCase();
  const has = name === LEADING_KEYS ? wanted.leadingKeys : valuesOf(CONTEXT[name] ?? wanted.context?.[name]);
  if (!has) return effect === 'Deny';
  return has.every((text) => values.some((value) => value.test(text)) !== negated);
}

const valuesOf = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : [text];

function statementOf(statement: Json): Statement {
  if (!isObject(statement)) throw new Error('a statement of the policy is not an object');
  const { Effect, Action, Resource, Condition, Sid: _, ...rest } = statement;
  const [unknown] = Object.keys(rest);
  if (unknown) throw new Error(`${unknown} in a policy cannot be evaluated here`);
  if (Effect !== 'Allow' && Effect !== 'Deny') throw new Error('a statement must allow or deny');
  return {
    effect: Effect,
    // Actions are compared without regard to case, resources with it (IAM: "Policy evaluation logic").
    actions: textsOf(Action).map((text) => pattern(text, 'i')),
    resources: textsOf(Resource).map((text) => pattern(text)),
    conditions: conditionsOf(Condition),
  };
}

function conditionsOf(block: Json | undefined): Condition[] {
  if (block === undefined) return [];
  if (!isObject(block)) throw new Error('a Condition must be an object');
  return Object.entries(block).flatMap(([name, tests]) => {
    const forAll = name.startsWith(FOR_ALL);
    const operator = OPERATORS[forAll ? name.slice(FOR_ALL.length) : name];
    if (!operator || !isObject(tests))
      throw new Error(`the condition operator ${name} cannot be evaluated here`);
    return Object.entries(tests).map(([key, values]): Condition => {
      const name = key.toLowerCase();
      const known = forAll
        ? name === LEADING_KEYS
        : Object.hasOwn(CONTEXT, name) || name.startsWith(ENCRYPTION_CONTEXT);
      if (!known) throw new Error(`the condition key ${key} cannot be evaluated here`);
      return {
        key,
        negated: operator.negated,
        values: textsOf(values).map((text) => (operator.wild ? pattern(text) : exactly(text))),
      };
    });
  });
}

const listOf = (value: Json | undefined): Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function textsOf(value: Json | undefined): string[] {
  const texts = listOf(value).map(String);
  const variable = texts.find((text) => text.includes('${'));
  if (variable) throw new Error(`the policy variable in ${variable} cannot be evaluated here`);
  return texts;
}

const escaped = (text: string): string => text.replace(/[.+^$(){}|[\]\\]/g, '\\$&');

const exactly = (text: string): RegExp => new RegExp(`^${escaped(text).replace(/[*?]/g, '\\$&')}$`, 's');

/** `*` is any text, `?` one character; both also match `:` and `/` (IAM: "Resource"). */
const pattern = (text: string, flags = ''): RegExp =>
  new RegExp(`^${escaped(text).replaceAll('*', '.*').replaceAll('?', '.')}$`, `s${flags}`);
