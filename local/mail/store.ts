import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

/** The credentials with which everything on this machine may call its services. */
export const local = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/** Stores a raw mail in a bucket, as SES does. */
export async function storeMail(endpoint: string, bucket: string, key: string, raw: string | Uint8Array) {
  const url = new URL(`${endpoint}/${bucket}/${key}`);
  const body = Buffer.from(raw);
  const signer = new SignatureV4({ ...local, service: 's3', uriEscapePath: false, sha256: Sha256 });
  const { headers } = await signer.sign({
    ...{ method: 'PUT', protocol: url.protocol, hostname: url.hostname, port: Number(url.port) },
    ...{ path: url.pathname, headers: { host: url.host, 'content-type': 'message/rfc822' }, body },
  });
  const response = await fetch(url, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(`the mail was not stored: ${response.status}`);
}

/** SHA-256 as the signer takes it, with a key or without. */
class Sha256 {
  private readonly hash: ReturnType<typeof createHash>;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : (createHmac('sha256', keyOf(secret)) as never);
  }
  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

const keyOf = (secret: string | ArrayBuffer | ArrayBufferView): string | Uint8Array =>
  typeof secret === 'string'
    ? secret
    : ArrayBuffer.isView(secret)
      ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength)
      : new Uint8Array(secret);
