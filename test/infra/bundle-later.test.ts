import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sizesOf } from '../../infra/bundle/size.ts';
import { bundleFunction } from '../../infra/bundle.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'steploop-later-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/**
 * Bundles an entry with this source and loads it. Returns the bundle, and the names of its files that a first call
 * reads.
 */
async function loaded(name: string, source: string) {
  const folder = join(scratch, name);
  await writeFile(join(scratch, `${name}.ts`), source);
  const { directory, metafile } = await bundleFunction('step', {
    definition: resolve('steploop.config.ts'),
    outdir: folder,
    entryOf: () => join(scratch, `${name}.ts`),
  });
  const module = await import(/* @vite-ignore */ pathToFileURL(join(directory, 'index.mjs')).href);
  const files = (await readdir(directory)).filter((file) => file.endsWith('.cjs'));
  const isRead = () =>
    Object.keys(process.getBuiltinModule('node:module').createRequire(import.meta.url).cache).some(
      (path) => files.includes(basename(path)) && path.startsWith(folder),
    );
  return { module, files, isRead, sizes: sizesOf(metafile) };
}

describe('zod in a bundle', () => {
  /** The results of the handler below, and of zod itself here. */
  const said = (it: typeof z) => {
    const input = it.object({
      order: it.string().min(3).max(20).describe('number of an order'),
      amounts: it.array(it.number().int().positive()).default([1]),
      kind: it.enum(['new', 'old']).optional(),
      next: it.union([it.literal('x'), it.null()]),
    });
    return {
      all: it.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }),
      ofOne: input.toJSONSchema(),
      ofStandard: input['~standard'].jsonSchema.input({ target: 'draft-07' }),
      length: [it.string().min(3).minLength, it.number().int().isInt, it.email().format],
    };
  };

  it('validates without the code that makes JSON Schema, and makes the same JSON Schema on request', async () => {
    const { module, files, isRead, sizes } = await loaded(
      'schemas',
      `
        import { z } from 'zod';
        const said = ${said};
        export const handler = (parse) =>
          parse === undefined ? said(z) : z.object({ order: z.string() }).safeParse(parse).success;
      `,
    );
    expect(files).toHaveLength(1);
    expect(sizes.inputs.filter(({ name }) => name === 'zod').map(({ lazy }) => lazy)).toContain(true);
    expect([module.handler({ order: 'A' }), module.handler({})]).toEqual([true, false]);
    expect(isRead()).toBe(false);
    expect(module.handler()).toEqual(said(z));
    expect(isRead()).toBe(true);
  });
});

describe('Markdown in a bundle', () => {
  it('is parsed without the table of character references, and with it if it contains one, as outside a bundle', async () => {
    const { module, files, isRead } = await loaded(
      'markdown',
      `
        import { fromMarkdown } from 'mdast-util-from-markdown';
        export const handler = (text) => fromMarkdown(text);
      `,
    );
    expect(files).toHaveLength(1);
    const plain = '# A & B\n\n1 &#38; 2 &#x26; 3';
    expect(module.handler(plain)).toEqual(fromMarkdown(plain));
    expect(isRead()).toBe(false);
    const named = '&eacute; &lt;b&gt; &nothing; `&amp;`\n\n```&auml;\n&ouml;\n```';
    expect(module.handler(named)).toEqual(fromMarkdown(named));
    expect(isRead()).toBe(true);
  });
});

describe('the AWS SDK in a bundle', () => {
  it('retries adaptively if it is told to, with code that is not read before', async () => {
    let failures = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(failures-- > 0 ? 500 : 200, { 'content-type': 'application/x-amz-json-1.0' });
        response.end('{}');
      });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const { module, isRead } = await loaded(
        'adaptive',
        `
          import { DeleteMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
          const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
          export const handler = async (endpoint, retryMode) => {
            const client = new SQSClient({ endpoint, region: 'eu-central-1', credentials, retryMode });
            const { $metadata } = await client.send(new DeleteMessageCommand({ QueueUrl: endpoint + '/1/q', ReceiptHandle: 'r' }));
            const { mode } = await client.config.retryStrategy();
            return { mode, attempts: $metadata.attempts };
          };
        `,
      );
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      failures = 1;
      expect(await module.handler(url, 'standard')).toEqual({ mode: 'standard', attempts: 2 });
      expect(isRead()).toBe(false);
      failures = 1;
      expect(await module.handler(url, 'adaptive')).toEqual({ mode: 'adaptive', attempts: 2 });
      expect(isRead()).toBe(true);
    } finally {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  });

  const md5 = `
    import { Md5 } from '@smithy/core/checksum';
    export const handler = async (text) => {
      const hash = new Md5();
      hash.update(Buffer.from(text));
      return Buffer.from(await hash.digest()).toString('hex');
    };
  `;
  const digest = createHash('md5').update('Grüße').digest('hex');

  it('makes MD5 with Node’s OpenSSL', async () => {
    const { module, isRead } = await loaded('md5', md5);
    expect(await module.handler('Grüße')).toBe(digest);
    expect(isRead()).toBe(false);
  });

  it('makes MD5 by itself where OpenSSL refuses to, as in FIPS mode', async () => {
    const crypto = process.getBuiltinModule('node:crypto');
    const ofNode = crypto.createHash;
    crypto.createHash = ((name: string) => {
      if (name === 'md5') throw new Error('digital envelope routines::unsupported');
      return ofNode(name);
    }) as typeof ofNode;
    try {
      const { module, isRead } = await loaded('own-md5', md5);
      expect(await module.handler('Grüße')).toBe(digest);
      expect(isRead()).toBe(true);
    } finally {
      crypto.createHash = ofNode;
    }
  });
});

describe('Anthropic’s SDK in a bundle', () => {
  it('sends a nested query and throws errors of the right class, as it does outside a bundle', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(String(request.url));
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'x', details: { error_code: 'tool_name_conflict' } } }));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const { module, isRead } = await loaded(
        'anthropic',
        `
          import Anthropic from '@anthropic-ai/sdk';
          export const handler = ${failure};
          export const its = (baseURL, query) => handler(Anthropic, baseURL, query);
        `,
      );
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const query = { limit: 2, in: { a: ['x y', 'z'] } };
      const error = { name: 'ToolNameConflictError', isOfCode: true, isOfStatus: true };
      expect(await module.its(url)).toEqual(error);
      expect(isRead()).toBe(false);
      expect(await module.its(url, query)).toEqual(error);
      expect(isRead()).toBe(true);
      expect(await failure(Anthropic, url, query)).toEqual(error);
      expect(asked[0]).toBe('/v1/models');
      expect(asked[1]).toMatch(/\?limit=2&in/);
      expect(asked[1]).toBe(asked[2]);
    } finally {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  });
});

/** The failure of a request. The bundle contains this function as text. */
async function failure(Sdk: typeof Anthropic, baseURL: string, query?: object) {
  const client = new Sdk({ baseURL, apiKey: 'k', maxRetries: 0 });
  const error = await client.get('/v1/models', query ? { query } : {}).then(
    () => undefined,
    (thrown) => thrown,
  );
  return {
    name: error.name,
    isOfCode: error instanceof Sdk.ToolNameConflictError,
    isOfStatus: error instanceof Sdk.BadRequestError,
  };
}

describe('a Node module', () => {
  it('has its names when it is imported late, as the AWS SDK imports an invoke store', async () => {
    const { module } = await loaded(
      'late-builtin',
      `export const handler = async () => typeof (await import('node:async_hooks')).AsyncLocalStorage;`,
    );
    expect(await module.handler()).toBe('function');
  });
});
