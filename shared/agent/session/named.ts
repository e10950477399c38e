/** A person or machine, as far as lists of names go by it. */
interface Named {
  readonly subject?: string | undefined;
  /** Roles of a JWT. */
  readonly roles?: readonly string[] | undefined;
}

/** Whether a person or machine is in a list of subjects and roles: `approvals.deciders` and `approvals.answerers`. */
export const isNamedIn = (names: readonly string[], { subject, roles = [] }: Named): boolean =>
  names.some((name) => name === subject || roles.some((role) => name === `role:${role}`));
