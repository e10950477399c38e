/**
 * The one table. Single-table layout: docs/design.md, "Items".
 *
 * The `due` index is sparse: only a HEAD that waits for a moment has `dueShard` and `sweepAt`, so the index holds only sleeping
 * sessions, and the sweeper reads no more than what is overdue. Its partitions: `shared/aws/layout.ts`.
 *
 * The `listed` index is sparse too: it has one item per session, with what lists show, and a step that only continues a run does
 * not write it.
 */

import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { tableLayout } from '../shared/contract/env.ts';
import type { Config } from './config.ts';

/** Billed on demand. By config, recoverable to any second of the last 35 days, and kept when the stack is deleted. */
export class SessionTable extends Table {
  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id, {
      partitionKey: { name: tableLayout.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableLayout.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: tableLayout.ttl,
      ...(config.encryptionKey && {
        encryption: TableEncryption.CUSTOMER_MANAGED,
        encryptionKey: config.encryptionKey,
      }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: config.pointInTimeRecovery },
      removalPolicy: config.removalPolicy,
      deletionProtection: config.deletionProtection,
    });
    const { due, listed } = tableLayout;
    this.addGlobalSecondaryIndex({
      indexName: due.index,
      partitionKey: { name: due.partitionKey, type: AttributeType.STRING },
      sortKey: { name: due.sortKey, type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.addGlobalSecondaryIndex({
      indexName: listed.index,
      partitionKey: { name: listed.partitionKey, type: AttributeType.STRING },
      sortKey: { name: listed.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
}
