/** A data key for each tenant (`tenantKeys`): the table of wrapped keys, and the permissions of functions for it. */

import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { tableLayout } from '../shared/contract/env.ts';
import { accept } from './accepted.ts';
import type { Config } from './config.ts';
import type { Handler } from './handler.ts';
import { onTable, type TableAction } from './permissions.ts';

/** Functions that do more with keys than use them, or make one for a new tenant. */
const more: Readonly<Record<string, readonly TableAction[]>> = {
  // Deletes keys, on an administrator's request.
  http: ['UpdateItem'],
  // Finds deleted keys, and ends the removal of their tenants.
  sweep: ['Query', 'DeleteItem'],
};

export class TenantKeys extends Construct {
  private readonly table: Table;
  private readonly key: IKey;

  constructor(scope: Construct, id: string, config: Config & { readonly encryptionKey: IKey }) {
    super(scope, id);
    this.key = config.encryptionKey;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: tableLayout.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableLayout.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      // A deleted key must not come back with a restore.
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: false },
      removalPolicy: config.removalPolicy,
      deletionProtection: config.deletionProtection,
    });
    accept(this.table, 'DDB3', 'A deleted key must not come back with a restore.');
  }

  /** Lets a function use keys of tenants. */
  serve(name: string, { fn, role }: Handler): void {
    fn.addEnvironment('KEY_TABLE_NAME', this.table.tableName);
    fn.addEnvironment('TENANT_KEY_ARN', this.key.keyArn);
    role.addToPolicy(onTable(this.table, 'GetItem', 'PutItem', ...(more[name] ?? [])));
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: [this.key.keyArn],
        // Only keys that are bound to a tenant (`shared/aws/tenant-keys.ts`).
        conditions: { StringLike: { 'kms:EncryptionContext:steploop:tenant': '*' } },
      }),
    );
  }
}
