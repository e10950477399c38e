import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** The content of a page of an ask. */
export interface AskShown {
  readonly question: string;
  readonly isApproval: boolean;
  readonly person: string;
}

const TEXTS = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => TEXTS.get(one) ?? one);

/** The page that asks again. A form decides, and the page itself changes nothing: programs that check mails open every link. */
export function askPage({ question, isApproval, person }: AskShown): APIGatewayProxyStructuredResultV2 {
  const form = isApproval
    ? '<label>Note <input name="note" maxlength="1000" autocomplete="off"></label>' +
      '<p><button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></p>'
    : '<p><textarea name="answer" rows="6" maxlength="10000" required aria-label="Your answer"></textarea></p>' +
      '<p><button name="decision" value="answer">Send the answer</button></p>';
  return page(
    200,
    isApproval ? 'May this run?' : 'A question',
    `<pre>${escaped(question)}</pre><form method="post">${form}</form><p>You decide as ${escaped(person)}.</p>`,
  );
}

/** A page with one sentence. */
export const sentencePage = (status: number, title: string, text: string) =>
  page(status, title, `<p>${escaped(text)}</p>`);

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:1rem}textarea,input{width:100%;box-sizing:border-box;font:inherit}button{font:inherit;padding:.4rem 1rem}';

const page = (statusCode: number, title: string, body: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // The token is in the address: nothing is loaded from elsewhere, and no link or form tells it to another place.
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${body}</html>`,
});
