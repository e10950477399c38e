import { SignatureV4 } from '@smithy/signature-v4';
import type { S3Options } from './s3.ts';
import { toSign } from './to-sign.ts';

/** Region of a Bedrock endpoint; undefined for any other host, such as that of a VPC endpoint. */
const regionOf = ({ hostname }: URL): string | undefined =>
  /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(hostname)?.[1];

interface Unsigned {
  readonly method: 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the headers of a request to Bedrock, signed by this function's principal. The path is encoded a second time, as for all services except S3. */
export function modelRequestSigner(identity: S3Options['identity']) {
  return async ({ method, url, headers, body }: Unsigned): Promise<Readonly<Record<string, string>>> => {
    const signer = new SignatureV4({
      ...identity,
      region: regionOf(url) ?? identity.region,
      service: 'bedrock',
    });
    const signed = await signer.sign({ ...toSign(method, url, { headers: { ...headers } }), body });
    // `fetch` sets the host itself.
    const { host: _, ...sent } = signed.headers;
    return sent;
  };
}
