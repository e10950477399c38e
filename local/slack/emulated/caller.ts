/** Calls the emulated Slack's Web API in the name of the token's owner. */

export interface SlackMessage {
  readonly ts: string;
  readonly user: string;
  readonly text: string;
  /** For a message with replies, its own `ts`. */
  readonly thread_ts?: string;
  readonly parent_user_id?: string;
  readonly reply_count?: number;
  readonly blocks?: readonly SlackBlock[];
  readonly metadata?: unknown;
  readonly files?: readonly { readonly name: string; readonly url_private?: string }[];
}

export interface SlackBlock {
  readonly type: string;
  readonly block_id?: string;
  /** The text of a section, or of a block of Markdown. */
  readonly text?: string | { readonly text: string };
  readonly elements?: readonly SlackElement[];
  readonly accessory?: SlackElement;
  /** The title and the cards of a plan. */
  readonly title?: string;
  readonly tasks?: readonly { readonly title: string; readonly status: string }[];
}

export interface SlackElement {
  readonly type: string;
  readonly action_id?: string;
  readonly value?: string;
  /** Texts of a context; the label of a button. */
  readonly text?: string | { readonly text: string };
  readonly style?: string;
  /** The two buttons of `feedback_buttons`. */
  readonly positive_button?: Pick<SlackElement, 'value' | 'text'>;
  readonly negative_button?: Pick<SlackElement, 'value' | 'text'>;
  /** The options of a menu. */
  readonly options?: readonly SlackOption[];
}

export interface SlackOption {
  readonly value: string;
  readonly text?: { readonly text: string };
}

export interface SlackCaller {
  /** Rejects with the emulator's message if it refuses. */
  call<Answer extends object>(method: string, args?: Readonly<Record<string, string>>): Promise<Answer>;
}

export const callerOf = (url: string, authorization: string): SlackCaller => ({
  async call<Answer extends object>(method: string, args: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(args),
    });
    const answer = (await response.json()) as Answer & { ok: boolean; error?: string };
    if (!answer.ok) throw new Error(`the emulated Slack: ${method}: ${answer.error}`);
    return answer;
  },
});
