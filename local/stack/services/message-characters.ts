import { fauxqsModule } from './fauxqs-module.ts';

/** Characters that SQS refuses in a message (SQS's developer guide, "Amazon SQS message quotas", "Message content"). */
const REFUSED = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * Makes fauxqs accept every character that SQS accepts. Its own expression looks at halves of characters, so it refuses emoji and
 * everything else above U+FFFF. Once per process or more often.
 */
export async function acceptCharacters(): Promise<void> {
  const { INVALID_MESSAGE_BODY_CHAR: own }: { INVALID_MESSAGE_BODY_CHAR: RegExp } = await import(
    fauxqsModule('sqsTypes.js')
  );
  own.test = (text) => REFUSED.test(text);
}
