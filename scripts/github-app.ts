/**
 * Makes the GitHub App that the triage agent acts as: `npm run github:app -- HTTP_URL`. It opens a page on this machine that
 * hands GitHub the manifest. A person names and confirms the App there. GitHub's response is kept in files, never shown.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { manifestOf } from '../agents/triage/manifest.ts';
import { parse } from '../cli/arguments.ts';
import { WrongUsage } from '../cli/ends.ts';

const usage = `npm run github:app -- HTTP_URL [--org ORG] [--github URL] [--api URL] [--out DIR]

  HTTP_URL       the deployment's output HttpUrl, which GitHub must reach over https
  --org ORG      the App is this organization's, and not yours
  --github URL   https://github.com
  --api URL      https://api.github.com; of GitHub Enterprise Server https://HOST/api/v3
  --out DIR      where its key is written (.github-app)`;

const options = {
  org: { type: 'string' },
  github: { type: 'string', default: 'https://github.com' },
  api: { type: 'string', default: 'https://api.github.com' },
  out: { type: 'string', default: '.github-app' },
} as const;

/** GitHub's response for an App that was made from a manifest. */
const Made = z.object({
  id: z.int().positive(),
  html_url: z.url(),
  pem: z.string().min(1),
  webhook_secret: z.string().min(1),
});

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof WrongUsage ? error.exitCode : 1;
}

async function main(): Promise<void> {
  const parsed = parse(process.argv.slice(2), { usage, options, words: 1 });
  if (!parsed) return;
  const { values, positionals } = parsed;
  const { data: httpUrl } = z.url({ protocol: /^https$/ }).safeParse(positionals[0]);
  if (httpUrl === undefined)
    throw new WrongUsage(`Name the deployment's HttpUrl, which begins with https://.\n\n${usage}`);
  const made = await asked({ ...values, httpUrl });
  mkdirSync(values.out, { recursive: true, mode: 0o700 });
  const keep = (name: string, text: string): string => {
    const file = join(values.out, name);
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  };
  const token = keep(`${made.id}-token.json`, JSON.stringify({ appId: made.id, privateKey: made.pem }));
  const webhook = keep(`${made.id}-webhook-secret.txt`, made.webhook_secret);
  console.log(`The App is there. Put its key and what it signs with into the deployment, and delete the files:

  aws secretsmanager put-secret-value --secret-id <ARN of GITHUB_TOKEN> --secret-string file://${token}
  aws secretsmanager put-secret-value --secret-id <ARN of GITHUB_WEBHOOK_SECRET> --secret-string file://${webhook}

Then install it on the repositories that it is for: ${made.html_url}/installations/new`);
}

interface Wanted {
  readonly httpUrl: string;
  readonly org?: string | undefined;
  readonly github: string;
  readonly api: string;
}

/** Waits for a person to confirm it in a browser. Rejects if GitHub refuses the code. */
async function asked({ httpUrl, org, github, api }: Wanted): Promise<z.infer<typeof Made>> {
  // Otherwise an attacker could send this machine's browser here with their own code, and the key of the attacker's App would be kept.
  const state = randomBytes(16).toString('hex');
  const owner = org === undefined ? '' : `/organizations/${encodeURIComponent(org)}`;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const manifest = JSON.stringify(manifestOf({ httpUrl, redirectUrl: `${here}/made` }));
  const page = `<!doctype html><title>GitHub App</title><form method="post" action="${escaped(`${github}${owner}/settings/apps/new?state=${state}`)}">
<input type="hidden" name="manifest" value="${escaped(manifest)}"><button>Make the App on GitHub</button></form>`;
  console.log(`Open ${here}/ in a browser that is signed in to GitHub.`);
  try {
    const code = await new Promise<string>((resolve) => {
      server.on('request', (request, response) => {
        const url = new URL(request.url ?? '/', here);
        const given = url.searchParams.get('code');
        const isMade = url.pathname === '/made' && given !== null && url.searchParams.get('state') === state;
        const [status, body] = isMade
          ? [200, 'Done. Go on in the terminal.']
          : url.pathname === '/'
            ? [200, page]
            : [400, 'This is not where GitHub has led you.'];
        response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
        response.end(body, () => isMade && resolve(given));
      });
    });
    const path = `/app-manifests/${encodeURIComponent(code)}/conversions`;
    const response = await fetch(`${api}${path}`, {
      method: 'POST',
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'steploop' },
    });
    const { data } = Made.safeParse(await response.json());
    if (response.ok && data) return data;
    throw new Error(`GitHub answered ${response.status}, and has told no App: begin again.`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
