/** Escapes what mrkdwn would read as its own (docs.slack.dev, "Formatting message text"). */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
