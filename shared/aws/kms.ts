/**
 * The two operations of KMS that tenants' data keys need, over plain HTTPS, signed as the requests of `direct.ts` are.
 * The SDK's client of KMS would add some 100 KB to each function. Loaded where `tenantKeys` is on.
 */

import type { patiently } from './patiently.ts';
import type { signerOf } from './signer.ts';

/** A data key: in the clear, and encrypted by the KMS key. */
export interface DataKey {
  readonly plain: Uint8Array;
  readonly wrapped: Uint8Array;
}

/** Texts that KMS binds to a wrapped key: it must be decrypted with the same ones. CloudTrail logs them. */
export type EncryptionContext = Readonly<Record<string, string>>;

export interface Kms {
  /** A new data key of 32 bytes. */
  generate(context: EncryptionContext): Promise<DataKey>;
  /** Rejects if it was wrapped in another context, or by another key. */
  unwrap(wrapped: Uint8Array, context: EncryptionContext): Promise<Uint8Array>;
}

export interface KmsOptions {
  /** The signer of a client of this environment (`direct.ts`). */
  readonly signer: ReturnType<typeof signerOf>;
  region(): Promise<string>;
  /** ARN of the KMS key. */
  readonly keyArn: string;
  /** Another endpoint than AWS's, as `AWS_ENDPOINT_URL_KMS` names it. */
  readonly endpoint?: string | undefined;
  readonly patiently: typeof patiently;
}

/** KMS refused the request or failed. It has the shape of the SDK's errors. */
export class KmsFailure extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(operation: string, name: string, message: string, httpStatusCode: number) {
    super(`KMS ${operation}: ${name}: ${message}`);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}

/** Longest time for one try, in ms. */
const PATIENCE_MS = 5_000;

/** See the API reference of KMS: JSON 1.1, with bytes in base64. */
export function createKms({ signer, region: regionOf, keyArn, endpoint, patiently }: KmsOptions): Kms {
  async function call(operation: string, input: object): Promise<Record<string, string>> {
    const region = await regionOf();
    const url = new URL(
      endpoint ?? `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
    );
    const body = JSON.stringify(input);
    const response = await patiently(async () => {
      const unsigned = {
        method: 'POST',
        path: '/',
        headers: {
          host: url.host,
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `TrentService.${operation}`,
        },
        body,
      };
      const { headers } = await (await signer({ signingName: 'kms', signingRegion: region })).sign(unsigned, {
        signingDate: new Date(),
      });
      return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const { __type = 'KmsFailure', message = '', Message = message } = parsed(text);
    throw new KmsFailure(operation, __type.slice(__type.lastIndexOf('#') + 1), Message, response.status);
  }

  return {
    async generate(EncryptionContext) {
      const input = { KeyId: keyArn, KeySpec: 'AES_256', EncryptionContext };
      const { Plaintext = '', CiphertextBlob = '' } = await call('GenerateDataKey', input);
      return { plain: bytesOf(Plaintext), wrapped: bytesOf(CiphertextBlob) };
    },
    async unwrap(wrapped, EncryptionContext) {
      const CiphertextBlob = Buffer.from(wrapped).toString('base64');
      // With the key's ARN, KMS refuses keys that another KMS key has wrapped.
      const { Plaintext = '' } = await call('Decrypt', { CiphertextBlob, KeyId: keyArn, EncryptionContext });
      return bytesOf(Plaintext);
    },
  };
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** An answer of a proxy need not be JSON. */
function parsed(text: string): Record<string, string> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
