import { REGION } from '../identity.ts';

/** A message as SQS's ReceiveMessage returns it. */
export interface ReceivedMessage {
  MessageId: string;
  ReceiptHandle: string;
  Body: string;
  MD5OfBody: string;
  Attributes?: Record<string, string>;
  MessageAttributes?: Record<string, { DataType: string; StringValue?: string; BinaryValue?: string }>;
}

/** Lambda's event for a batch of messages. */
export function toSqsEvent(messages: ReceivedMessage[], queueArn: string): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes ?? {},
      messageAttributes: Object.fromEntries(
        Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
          name,
          {
            ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
            ...(value.BinaryValue === undefined ? {} : { binaryValue: value.BinaryValue }),
            stringListValues: [],
            binaryListValues: [],
            dataType: value.DataType,
          },
        ]),
      ),
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: REGION,
    })),
  };
}

/**
 * The messages of a batch that are done, given the JSON that the function returned. Rules from Lambda's "partial batch
 * responses": no, null or empty batchItemFailures = all done; anything malformed, or an id that is not in the batch = none done.
 * Without ReportBatchItemFailures, returning at all means all done.
 */
export function doneMessages(
  messages: ReceivedMessage[],
  result: string,
  reportsFailures: boolean,
): ReceivedMessage[] {
  if (!reportsFailures) return messages;
  const failures = failureIds(result);
  if (failures === 'malformed') return [];
  const known = new Set(messages.map((message) => message.MessageId));
  if (failures.some((id) => !known.has(id))) return [];
  return messages.filter((message) => !failures.includes(message.MessageId));
}

function failureIds(result: string): string[] | 'malformed' {
  const response: unknown = JSON.parse(result);
  if (response === null || response === undefined) return [];
  if (typeof response !== 'object') return 'malformed';
  const failures = 'batchItemFailures' in response ? response.batchItemFailures : undefined;
  if (failures === null || failures === undefined) return [];
  if (!Array.isArray(failures)) return 'malformed';
  const ids = failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier);
  return ids.every((id) => typeof id === 'string' && id !== '') ? (ids as string[]) : 'malformed';
}
