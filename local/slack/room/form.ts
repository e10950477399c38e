/** A modal as the page shows it: plain data, without anything that a page could run. Pure. */

import type { FormAnswer } from '../emulated/emulated-slack.ts';
import type { Modal } from '../emulated/modals.ts';

export interface ShownForm {
  /** The words above the fields. */
  readonly texts: readonly string[];
  readonly fields: readonly ShownField[];
  readonly canSubmit: boolean;
}

export interface ShownField {
  readonly label: string;
  readonly hint?: string;
  readonly optional: boolean;
  /** Type of the element: `plain_text_input`, `static_select`, …. */
  readonly type: string;
  readonly options: readonly string[];
}

interface ShownBlock {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly hint?: { readonly text: string };
}

export function formOf(modal: Modal): ShownForm {
  const blocks = modal.blocks as readonly (Modal['blocks'][number] & ShownBlock)[];
  return {
    texts: blocks.flatMap(({ type, text }) => (type === 'section' && text ? [text.text] : [])),
    fields: blocks.flatMap(({ type, label, hint, optional = false, element }) =>
      type === 'input' && label && element
        ? [
            {
              ...{ label: label.text, optional, type: element.type },
              ...(hint && { hint: hint.text }),
              options: (element.options ?? []).map(({ text }) => text.text),
            },
          ]
        : [],
    ),
    canSubmit: modal.submit !== undefined,
  };
}

/** The app's errors, by the label of the field. */
export const errorsOf = ({ blocks }: Modal, { errors = {} }: Partial<FormAnswer>): Record<string, string> =>
  Object.fromEntries(
    blocks.flatMap(({ block_id: id = '', label }) =>
      label && Object.hasOwn(errors, id) ? [[label.text, errors[id] ?? '']] : [],
    ),
  );
