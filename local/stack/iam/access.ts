import { ACCOUNT } from '../identity.ts';
import { looksAtKeys, type Statement, verdictOn, type Wanted } from './policy.ts';

/**
 * Access control: the roles of a stack with their policies, and the functions that use them. A function is identified by its
 * access key, with which it signs its calls, as on AWS. Callers with another key are unrestricted: they are the stack itself,
 * tests, and people with a terminal.
 */
export interface Access {
  /** Adds statements to a role, given by its name. */
  allow(roleName: string, statements: readonly Statement[]): void;
  /** Whether the role is one of this stack. */
  knows(roleName: string): boolean;
  /** The access key of a function that acts in a role. */
  keyFor(functionName: string, roleName: string): string;
  /** Registers the name of a table's partition key; `partitionKeyOf` returns it. */
  knowTable(table: string, partitionKey: string): void;
  partitionKeyOf(table: string): string | undefined;
  /** The reason for a refusal, in AWS's words; undefined if the call is allowed. */
  refusalOf(accessKey: string, wanted: readonly Wanted[]): string | undefined;
}

/** Cached decisions; S3 keys make many. */
const REMEMBERED = 10_000;

/** @param notice called once for each refusal */
export function newAccess(notice: (line: string) => void): Access {
  const roles = new Map<string, Statement[]>();
  const keys = new Map<string, { functionName: string; roleName: string }>();
  const decided = new Map<string, string | undefined>();
  const partitionKeys = new Map<string, string>();

  const decide = (who: { functionName: string; roleName: string }, wanted: Wanted): string | undefined => {
    const verdict = verdictOn(wanted, roles.get(who.roleName) ?? []);
    if (verdict === 'allowed') return undefined;
    const why =
      verdict === 'denied'
        ? 'with an explicit deny in an identity-based policy'
        : `because no identity-based policy allows the ${wanted.action} action`;
    const user = `arn:aws:sts::${ACCOUNT}:assumed-role/${who.roleName}/${who.functionName}`;
    notice(
      `${who.functionName} was denied ${wanted.action} on ${wanted.resource}: its role has no such permission. Grant it in the CDK app.`,
    );
    return `User: ${user} is not authorized to perform: ${wanted.action} on resource: ${wanted.resource} ${why}`;
  };

  return {
    allow(roleName, statements) {
      roles.set(roleName, [...(roles.get(roleName) ?? []), ...statements]);
      decided.clear();
    },
    knows: (roleName) => roles.has(roleName),
    keyFor(functionName, roleName) {
      const key = `local-${functionName}`;
      keys.set(key, { functionName, roleName });
      return key;
    },
    knowTable: (table, partitionKey) => void partitionKeys.set(table, partitionKey),
    partitionKeyOf: (table) => partitionKeys.get(table),
    refusalOf(accessKey, wanted) {
      const who = keys.get(accessKey);
      if (!who) return undefined;
      const byKeys = looksAtKeys(roles.get(who.roleName) ?? []);
      for (const one of wanted) {
        const of = byKeys || one.context ? ` ${JSON.stringify([one.leadingKeys, one.context])}` : '';
        const question = `${accessKey} ${one.action} ${one.resource}${of}`;
        if (!decided.has(question)) {
          if (decided.size >= REMEMBERED) decided.clear();
          decided.set(question, decide(who, one));
        }
        const refusal = decided.get(question);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
  };
}
