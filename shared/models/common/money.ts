/**
 * Whether an error says that the account has no money left, so that waiting does not help and a fallback answers. Zhipu
 * says it with a 429 (continuedev/continue#11823, gabrielkoerich/orch#3150), MiniMax with a 500 (MiniMax-AI/MiniMax-M2#62)
 * or a 200.
 *
 * @param message the server's words
 */
export const saysNoMoney = (message: string): boolean =>
  /\binsufficient (?:account )?balance\b|余额不足/i.test(message);
