import { SignatureV4 } from '@smithy/signature-v4';
import type { SignRequest } from './provider.ts';

/** A principal, as any client of AWS's SDK has it in its `config`. */
export type Identity = Pick<
  ConstructorParameters<typeof SignatureV4>[0],
  'credentials' | 'region' | 'sha256'
>;

/** Region of a Bedrock endpoint; undefined for any other host, such as that of a VPC endpoint. */
const regionOf = ({ hostname }: URL): string | undefined =>
  /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(hostname)?.[1];

/**
 * Signs requests to Bedrock as this principal (SigV4). The signer encodes the path a second time, as for all services
 * except S3.
 */
export const modelRequestSigner =
  (identity: Identity): SignRequest =>
  async ({ method, url, headers, body }) => {
    const signer = new SignatureV4({
      ...identity,
      region: regionOf(url) ?? identity.region,
      service: 'bedrock',
    });
    const { protocol, hostname, port, pathname: path, host } = url;
    const signed = await signer.sign({
      ...{ method, protocol, hostname, path, query: {}, body },
      ...(port && { port: Number(port) }),
      headers: { host, ...headers },
    });
    // `fetch` sets the host itself.
    const { host: _, ...sent } = signed.headers;
    return sent;
  };
