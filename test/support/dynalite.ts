import { startDynamoDb } from '../../local/stack/services/dynamodb.ts';

/** A DynamoDB in this process: the embedded stack's. Stop it at the end. */
export const startDynalite = () => startDynamoDb(undefined);
