/** A process with one emulator, as the embedded stack has them: DynamoDB or SQS, by its argument. Prints its port. */

import { LOOPBACK } from '../../local/stack/listen.ts';
import { startDynamoDb } from '../../local/stack/services/dynamodb.ts';
import { startQueues } from '../../local/stack/services/queues.ts';

const start = process.argv[2] === 'dynamodb' ? startDynamoDb : startQueues;
const { endpoint } = await start(undefined);
console.log(endpoint.replace(`http://${LOOPBACK}:`, ''));
process.stdin.on('end', () => process.exit()).resume();
