import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { problemResponse } from '../middleware/problem.ts';

export interface PageOptions {
  /** Paths of the files, with `/` between folders. */
  readonly files: ReadonlySet<string>;
  readonly read: (name: string) => Buffer;
  /** The Content-Security-Policy. */
  readonly policy: string;
}

const INDEX = 'index.html';

/** Content types by file extension. Files with other extensions are not served. */
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Answers requests for the page's files. Any other path is a place within the page and gets the page itself, unless it looks like
 * a file: then the answer is 404.
 */
export function pageOf({ files, read, policy }: PageOptions) {
  const known = new Map<string, { plain: Buffer; zipped: Buffer }>();
  const bytesOf = (name: string) => {
    const plain = known.get(name)?.plain ?? read(name);
    const found = known.get(name) ?? { plain, zipped: gzipSync(plain) };
    known.set(name, found);
    return found;
  };

  return (path: string, acceptEncoding: string): APIGatewayProxyStructuredResultV2 => {
    const isAsset = path.startsWith('assets/');
    const name = files.has(path) ? path : INDEX;
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (!type || (name === INDEX && isAsset))
      return problemResponse({ type: 'about:blank', title: 'No such file', status: 404 });
    const zips = /\bgzip\b/.test(acceptEncoding);
    const { plain, zipped } = bytesOf(name);
    return {
      statusCode: 200,
      headers: {
        'content-type': type,
        // Asset names are hashes of their content; the page names those of this deploy.
        'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-store',
        vary: 'accept-encoding',
        ...(zips && { 'content-encoding': 'gzip' }),
        'content-security-policy': policy,
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      },
      body: zips ? zipped.toString('base64') : plain.toString('utf8'),
      isBase64Encoded: zips,
    };
  };
}
