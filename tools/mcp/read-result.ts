import { fieldsOf, textIn } from './loose.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A call's result in the form that the client reads, whatever the server has sent: the call has run, and one odd field
 * must not lose its outcome. Content of an unknown kind, or with missing fields, becomes text; a field that only
 * describes is left out. A server's request during a call is not touched. Pure.
 */
export function readResult(result: Fields): Fields {
  if (result.resultType === 'input_required') return result;
  const { content, structuredContent, isError, toolResult, ...others } = result;
  const blocks = listIn(content ?? toolResult);
  const isStructured = Object.keys(fieldsOf(structuredContent)).length > 0;
  const odd = isStructured ? undefined : structuredContent;
  return {
    ...others,
    // Servers from before the first stable version answer with `toolResult`.
    content: [...blocks.map(readBlock), ...(isNothing(odd) ? [] : [asText(odd)])],
    ...(isStructured && { structuredContent }),
    ...((isError === true || isError === 'true' || blocks.some(isFailure)) && { isError: true }),
  };
}

function listIn(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content.filter((block) => !isNothing(block));
  if (isNothing(content)) return [];
  // A block without its list (symfony/ai#123).
  return [typeof fieldsOf(content).type === 'string' ? content : asText(content)];
}

/** A kind that a framework invented for failures (QuantGeekDev/mcp-framework#130, calebl/ynab-mcp-server#31). */
const isFailure = (block: unknown): boolean => fieldsOf(block).type === 'error';

function readBlock(block: unknown): Fields {
  const { type, text, data, mimeType, uri, name, title, description, resource } = fieldsOf(block);
  switch (type) {
    case 'error':
    case 'text':
      return asText(text ?? '');
    case 'image':
    case 'audio':
      return typeof data === 'string'
        ? { type, data: base64In(data), mimeType: textIn(mimeType) ?? type }
        : asText(block);
    case 'resource_link':
      return typeof uri === 'string'
        ? { type, uri, name: textIn(name) ?? uri, ...texts({ title, description, mimeType }) }
        : asText(block);
    case 'resource':
      return readEmbedded(fieldsOf(resource)) ?? asText(block);
    default:
      return asText(block);
  }
}

interface Embedded extends Fields {
  readonly type: 'resource';
  readonly resource: Fields;
}

/** An embedded resource; undefined if it has neither text nor bytes. */
export function readEmbedded({ uri, text, blob, mimeType }: Fields): Embedded | undefined {
  const held = { uri: textIn(uri) ?? '', ...texts({ mimeType }) };
  if (typeof text === 'string') return { type: 'resource', resource: { ...held, text } };
  return typeof blob === 'string'
    ? { type: 'resource', resource: { ...held, blob: base64In(blob) } }
    : undefined;
}

/**
 * Bytes in the standard alphabet of base64, padded and on one line: the client refuses a whole result for any other
 * form. Some servers send a `data:` URL (nota/gyazo-mcp-server#129).
 */
const base64In = (data: string): string =>
  Buffer.from(data.replace(/^data:[^,]{0,200},/, ''), 'base64').toString('base64');

/** The fields that are texts. */
const texts = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));

const asText = (value: unknown): Fields => ({
  type: 'text',
  text: typeof value === 'string' ? value : JSON.stringify(value),
});

/** An empty object says nothing either. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || JSON.stringify(value) === '{}';
