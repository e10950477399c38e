interface Text {
  readonly text: string;
  readonly retracted: boolean;
}

/**
 * How people read a run that answers with an object (docs/answers.md): its fields, and not its JSON. It is not known
 * beforehand that a text will be an object, so a text that begins like one is held back until its run has ended, or
 * waits for a person: half an object is useless. If the run ends without an object, the text is shown as it was
 * written.
 *
 * @param ended the outcome of a run that has ended
 */
export function withObject<Said extends Text>(
  said: readonly Said[],
  ended: { readonly object?: unknown } | undefined,
): readonly Said[] {
  if (!ended) return said.map((one) => (isJson(one) ? hidden(one) : one));
  const { object } = ended;
  if (typeof object !== 'object' || object === null) return said;
  const last = said.findLast(({ retracted }) => !retracted);
  return said.map((one) =>
    one === last ? { ...one, text: toMarkdown(object) } : isJson(one) ? hidden(one) : one,
  );
}

const isJson = ({ text }: Text): boolean => /^\s*(?:\{|`{3}json)/.test(text);

const hidden = <Said extends Text>(one: Said): Said => ({ ...one, text: '' });

/** The fields of an object, a paragraph each. */
function toMarkdown(object: object): string {
  const fields = Object.entries(object).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [`**${titleOf(key)}:**${shownAs(value)}`],
  );
  return fields.length > 0 ? fields.join('\n\n').toWellFormed() : '_An empty answer._';
}

/** `remainingWork` and `remaining_work` as `Remaining work`. */
function titleOf(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_*\s]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shownAs(value: unknown): string {
  if (Array.isArray(value))
    return value.length > 0 ? `\n${value.map((item) => `- ${inLine(item)}`).join('\n')}` : ' none';
  if (typeof value === 'object') return `\n\`\`\`\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  const text = String(value);
  return text.includes('\n') ? `\n${text}` : ` ${text}`;
}

const inLine = (item: unknown): string =>
  typeof item === 'object' && item !== null
    ? Object.entries(item)
        .map(
          ([key, value]) =>
            `${titleOf(key)}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
        )
        .join('; ')
    : String(item).replaceAll('\n', ' ');
