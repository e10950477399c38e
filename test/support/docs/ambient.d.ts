/** Things of the reader's own, which samples of the docs assume. */

/** The keys of an agent that a sample is not about. */
declare const basics: {
  readonly name: string;
  readonly version: string;
  readonly model: { readonly name: string };
  readonly system: string;
};

declare const orders: { get(id: string, more: { readonly signal: AbortSignal }): Promise<object> };
declare const payments: (key: string) => {
  refund(
    input: { readonly orderId: string; readonly cents: number },
    more: { readonly idempotencyKey: string; readonly signal: AbortSignal },
  ): Promise<object>;
};
declare function tideProtocol(
  server: import('steploop').ServerAddress,
  kit: import('steploop').ProviderKit,
): import('steploop').Protocol;

declare function page(title: string): Promise<void>;
declare function show(text: string | undefined): void;
declare const view: import('steploop/client').View;

declare const httpUrl: string;
declare const socketUrl: string;
declare const aguiUrl: string;
declare const token: string;
declare const threadId: string;
declare const idempotencyKey: string;
declare const headers: Record<string, string>;
declare const rawBody: string;
declare const requestHeaders: Record<string, string>;
