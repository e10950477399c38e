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
  const isStructured = Object.keys(fieldsOf(structuredContent)).length > 0;
  const odd = isStructured ? undefined : structuredContent;
  return {
    ...others,
    // Servers from before the first stable version answer with `toolResult`.
    content: [...blocksIn(content ?? toolResult), ...(isNothing(odd) ? [] : [asText(odd)])],
    ...(isStructured && { structuredContent }),
    ...((isError === true || isError === 'true') && { isError: true }),
  };
}

function blocksIn(content: unknown): readonly Fields[] {
  if (Array.isArray(content)) return content.filter((block) => !isNothing(block)).map(readBlock);
  return isNothing(content) ? [] : [asText(content)];
}

function readBlock(block: unknown): Fields {
  const { type, text, data, mimeType, uri, name, title, description, resource } = fieldsOf(block);
  switch (type) {
    case 'text':
      return typeof text === 'string' ? { type, text } : asText(text ?? '');
    case 'image':
    case 'audio':
      return typeof data === 'string' ? { type, data, mimeType: textIn(mimeType) ?? type } : asText(block);
    case 'resource_link':
      return typeof uri === 'string'
        ? { type, uri, name: textIn(name) ?? uri, ...texts({ title, description, mimeType }) }
        : asText(block);
    case 'resource':
      return readResource(fieldsOf(resource)) ?? asText(block);
    default:
      return asText(block);
  }
}

function readResource({ uri, text, blob, mimeType }: Fields): Fields | undefined {
  const held = { uri: textIn(uri) ?? '', ...texts({ mimeType }) };
  if (typeof text === 'string') return { type: 'resource', resource: { ...held, text } };
  return typeof blob === 'string' ? { type: 'resource', resource: { ...held, blob } } : undefined;
}

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
