import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/github-app.ts', import.meta.url));

test('the command sends GitHub the manifest, accepts a code only from GitHub, and stores the credentials without showing them', async () => {
  const out = mkdtempSync(join(tmpdir(), 'steploop-app-'));
  const converted: string[] = [];
  const hub = createServer((request, response) => {
    converted.push(`${request.method} ${request.url}`);
    const made = {
      id: 7,
      html_url: 'https://github.com/apps/t',
      pem: 's3cret-key',
      webhook_secret: 's3cret-hook',
    };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made));
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  const api = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [
    ...['--conditions=@steploop/source', script, 'https://api.example.com/', '--org', 'octo'],
    ...['--api', api, '--out', out],
  ]);
  try {
    let said = '';
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      said += `${line}\n`;
    });
    const [first] = (await once(lines, 'line')) as [string];
    const here = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0] ?? '';
    const page = (await (await fetch(here)).text()).replaceAll('&quot;', '"');
    const [, state] = /github\.com\/organizations\/octo\/settings\/apps\/new\?state=(\w+)/.exec(page) ?? [];
    expect(page).toContain('"hook_attributes":{"url":"https://api.example.com/hooks/github"');
    expect(page).toContain(`"redirect_url":"${here}/made"`);

    expect((await fetch(`${here}/made?code=theirs&state=other`)).status).toBe(400);
    expect((await fetch(`${here}/made?code=ours&state=${state}`)).status).toBe(200);
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(converted).toEqual(['POST /app-manifests/ours/conversions']);
    expect(readdirSync(out).sort()).toEqual(['7-token.json', '7-webhook-secret.txt']);
    const kept = join(out, '7-token.json');
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ appId: 7, privateKey: 's3cret-key' });
    expect(statSync(kept).mode & 0o077).toBe(0);
    expect(said).toContain('put-secret-value');
    expect(said).not.toContain('s3cret');
  } finally {
    child.kill();
    hub.close();
    rmSync(out, { recursive: true });
  }
});
