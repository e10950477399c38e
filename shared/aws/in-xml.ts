/**
 * JSON that escapes the two characters that SQS refuses and JSON may hold unescaped (SendMessage: what XML 1.0 allows).
 */
export const inXml = (value: unknown): string =>
  JSON.stringify(value).replace(/[\ufffe\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
