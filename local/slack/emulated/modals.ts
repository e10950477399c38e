/** Modals: an app opens one for a person whose click it has just got, and the person fills it in. */

/** Ms for which a click may open a modal (docs.slack.dev, "Triggers expire"). */
const TRIGGER_MS = 3_000;

/** An input of a modal, or another block of it. */
interface ModalBlock {
  readonly type: string;
  readonly block_id?: string;
  readonly label?: { readonly text: string };
  readonly optional?: boolean;
  readonly element?: ModalElement;
}

interface ModalElement {
  readonly type: string;
  readonly action_id?: string;
  readonly options?: readonly { readonly text: { readonly text: string }; readonly value: string }[];
}

/** A modal as the app has sent it. */
export interface Modal {
  readonly callback_id?: string;
  readonly private_metadata?: string;
  readonly submit?: unknown;
  readonly blocks: readonly ModalBlock[];
}

export interface Modals {
  /** A click that may open a modal; returns its trigger. */
  trigger(user: string): string;
  /** Opens a modal; returns Slack's error if it cannot (docs.slack.dev, views.open). */
  open(trigger: string, view: Modal): string | undefined;
  /** The modal that the person sees. */
  of(user: string): Modal | undefined;
  show(user: string, view: Modal | undefined): void;
}

export function createModals(): Modals {
  const triggers = new Map<string, { readonly user: string; readonly at: number; used: boolean }>();
  const shown = new Map<string, Modal>();
  let count = 0;
  return {
    trigger(user) {
      const id = `${++count}.${Date.now()}.0123456789abcdef`;
      triggers.set(id, { user, at: Date.now(), used: false });
      return id;
    },
    open(id, view) {
      const trigger = triggers.get(id);
      if (!trigger) return 'invalid_trigger_id';
      if (Date.now() - trigger.at > TRIGGER_MS) return 'expired_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      trigger.used = true;
      shown.set(trigger.user, view);
      return undefined;
    },
    of: (user) => shown.get(user),
    show: (user, view) => void (view ? shown.set(user, view) : shown.delete(user)),
  };
}

/**
 * The state of a modal's inputs, as a submission reports it (docs.slack.dev, "view_submission").
 *
 * @param entered by label: texts, or the words of options
 */
export const stateOf = ({ blocks }: Modal, entered: Readonly<Record<string, string | readonly string[]>>) =>
  Object.fromEntries(
    blocks.flatMap(({ type, block_id: block = '', label, element }) =>
      type === 'input' && element
        ? [
            [
              block,
              {
                [element.action_id ?? '']: entryOf(
                  element,
                  new Map(Object.entries(entered)).get(label?.text ?? ''),
                ),
              },
            ],
          ]
        : [],
    ),
  );

function entryOf({ type, options = [] }: ModalElement, entered: string | readonly string[] | undefined) {
  const optionOf = (words: string) => {
    const option = options.find(({ text }) => text.text === words);
    if (!option) throw new Error(`the menu has no option ${words}`);
    return option;
  };
  const one = typeof entered === 'string' ? entered : undefined;
  switch (type) {
    case 'static_select':
      return { type, selected_option: one === undefined ? null : optionOf(one) };
    case 'multi_static_select':
      return { type, selected_options: [entered ?? []].flat().map(optionOf) };
    case 'datepicker':
      return { type, selected_date: one ?? null };
    case 'datetimepicker':
      return { type, selected_date_time: one === undefined ? null : Math.floor(Date.parse(one) / 1_000) };
    default:
      return { type, value: one ?? null };
  }
}
