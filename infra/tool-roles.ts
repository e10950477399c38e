import {
  type AddToPrincipalPolicyResult,
  type IGrantable,
  type IPrincipal,
  type IRole,
  type PolicyStatement,
  PrincipalPolicyFragment,
} from 'aws-cdk-lib/aws-iam';

/** Several roles as one grantee: a tool has the same permissions in the step and from the queue. */
export class ToolRoles implements IGrantable, IPrincipal {
  readonly grantPrincipal: IPrincipal = this;
  readonly assumeRoleAction = 'sts:AssumeRole';
  readonly principalAccount: string | undefined;
  private readonly roles: readonly [IRole, ...IRole[]];

  constructor(roles: readonly [IRole, ...IRole[]]) {
    this.roles = roles;
    this.principalAccount = roles[0].principalAccount;
  }

  /** For resource policies, such as a key's. */
  get policyFragment(): PrincipalPolicyFragment {
    return new PrincipalPolicyFragment({ AWS: this.roles.map((role) => role.roleArn) });
  }

  addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    const [first, ...others] = this.roles;
    for (const role of others) role.addToPrincipalPolicy(statement.copy());
    return first.addToPrincipalPolicy(statement);
  }
}
