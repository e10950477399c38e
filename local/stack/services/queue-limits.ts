/** Limits of SQS and S3 that fauxqs does not check. */

import { type Call, jsonOf, objectAt, objectOf } from '../iam/call.ts';
import type { OverLimit } from '../iam/refusals.ts';
import type { JsonObject } from '../template/types.ts';

/** The limit that a call to SQS or S3 exceeds, with the error that the service answers. */
export function overLimit(call: Call): OverLimit | undefined {
  if (call.target === '') return overLimitOfS3(call);
  return call.target === 'AmazonSQS.SendMessage' ? overLimitOfMessage(jsonOf(call.body)) : undefined;
}

/** Seconds (SQS's API reference, SendMessage). */
const MOST_DELAY = 900;
/** Attributes of a message (SQS's developer guide, "Amazon SQS message quotas"). */
const MOST_ATTRIBUTES = 10;
/** Letters, digits and punctuation (the same page). */
const GROUP = /^[!-~]{1,128}$/;

function overLimitOfMessage(input: JsonObject): OverLimit | undefined {
  const { DelaySeconds: delay = 0, MessageGroupId: group } = input;
  const attributes = Object.keys(objectOf(input.MessageAttributes)).length;
  if (!(Number.isInteger(delay) && Number(delay) >= 0 && Number(delay) <= MOST_DELAY))
    return wrong(
      `Value ${String(delay)} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${MOST_DELAY}.`,
    );
  if (group !== undefined && !GROUP.test(String(group)))
    return wrong(
      `Value ${String(group)} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    );
  if (attributes > MOST_ATTRIBUTES)
    return wrong(
      `Number of message attributes [${attributes}] exceeds the allowed maximum [${MOST_ATTRIBUTES}].`,
    );
  return undefined;
}

const wrong = (message: string): OverLimit => ({
  kind: 'over-limit',
  code: 'InvalidParameterValue',
  message,
});

/** Bytes of an object's key in UTF-8 (S3's user guide, "Naming Amazon S3 objects"). */
const MOST_KEY_BYTES = 1_024;

function overLimitOfS3(call: Call): OverLimit | undefined {
  return Buffer.byteLength(objectAt(call).key) > MOST_KEY_BYTES
    ? { kind: 'over-limit', code: 'KeyTooLongError', message: 'Your key is too long' }
    : undefined;
}
