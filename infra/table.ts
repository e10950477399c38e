/**
 * The one table. Single-table layout: docs/design.md, "Items".
 *
 * The `due` index is sparse: only a HEAD that waits for a moment has `dueShard` and `sweepAt`, so it holds
 * the sleepers and nothing else, and the sweeper reads no more than what is overdue. Its partitions: `shared/aws/layout.ts`.
 *
 * So is the `listed` index: of a session it has the item that says what lists show, and no step that only goes on writes that.
 */

import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { tableLayout } from '../shared/contract/env.ts';
import type { Config } from './config.ts';

/** On demand. As the config says: recoverable to any second of the last 35 days, and kept when the stack is deleted. */
export class SessionTable extends Table {
  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id, {
      partitionKey: { name: tableLayout.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableLayout.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: tableLayout.ttl,
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
