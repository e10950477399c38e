/** The sample pages as a third-party site: built, and served from their own origin. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import type { Embedded } from './embedded.ts';

export interface Site extends AsyncDisposable {
  /** URL of a sample's page, without the part after `#`. */
  url(sample: string): string;
}

const samples = fileURLToPath(new URL('../../web/samples', import.meta.url));
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** The target of the plain page's import map in a project that has the package. */
const installed = 'node_modules/steploop/dist/web/client/index.js';

/**
 *
 * @param built folders of samples that are built with Vite
 * @param served samples whose files are served as they are
 */
export async function sampleSite(built: readonly string[], served: readonly string[] = []): Promise<Site> {
  const out = await mkdtemp(join(tmpdir(), 'steploop-site-'));
  for (const sample of built) {
    await build({
      root: join(samples, sample),
      base: './',
      logLevel: 'error',
      resolve: { conditions: ['@steploop/source', 'module', 'browser', 'development|production'] },
      build: { outDir: join(out, sample), emptyOutDir: true, chunkSizeWarningLimit: 10_000 },
    });
  }
  await bundle({
    entryPoints: [fileURLToPath(new URL('../../web/client/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    outfile: join(out, installed),
    logLevel: 'error',
  });
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    const root = served.includes(path.split('/')[0] ?? '') ? samples : out;
    try {
      const body = await readFile(join(root, path));
      response
        .writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (sample) => `http://127.0.0.1:${port}/${sample}/index.html`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(out, { recursive: true, force: true });
    },
  };
}

/** Opens the page of a sample, for an agent of a stack. */
export async function openSample(
  page: Page,
  url: string,
  { stack, token }: Pick<Embedded, 'stack' | 'token'>,
  agent = 'worker',
): Promise<void> {
  const { HttpUrl = '', SocketUrl = '', AguiUrl = '' } = stack.outputs;
  const where = { httpUrl: HttpUrl, socketUrl: SocketUrl, aguiUrl: AguiUrl, token, agent };
  await page.goto(`${url}#${new URLSearchParams(where)}`);
}
