import { SignatureV4 } from '@smithy/signature-v4';
import { assertBlobKey } from '../agent/plain/blob-key.ts';
import { dispositionOf, type Links } from '../edge/links.ts';
import { rfc3986 } from './rfc3986.ts';
import { type S3Options, urlOfObject } from './s3.ts';
import { toSign } from './to-sign.ts';

/**
 * Links to one bucket's objects, signed by this function's principal: they expire with its credentials at the latest.
 */
export function createLinks({ identity, endpoint }: S3Options, bucket: string): Links {
  const signer = new SignatureV4({ ...identity, service: 's3', uriEscapePath: false });

  async function signed(
    method: 'GET' | 'PUT',
    key: string,
    seconds: number,
    headers: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    assertBlobKey(key);
    const url = await urlOfObject({ identity, endpoint }, bucket, key);
    const request = await signer.presign(
      toSign(method, url, {
        query: { ...query },
        // S3's term for a body that has not been read yet.
        headers: { ...headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      }),
      { expiresIn: seconds },
    );
    url.search = Object.entries(request.query ?? {})
      .map(([name, value]) => `${rfc3986(name)}=${rfc3986(String(value))}`)
      .join('&');
    return url.href;
  }

  return {
    async uploadTo(key, { bytes, mediaType, seconds }) {
      // S3 holds the request to every header that was signed: another length or type is refused with 403.
      const headers = { 'content-type': mediaType, 'content-length': String(bytes) };
      const url = await signed('PUT', key, seconds, headers);
      return { url, headers: { 'content-type': mediaType } };
    },
    downloadFrom: (key, { seconds, mediaType, ...as }) =>
      signed(
        'GET',
        key,
        seconds,
        {},
        {
          'response-content-type': mediaType,
          'response-content-disposition': dispositionOf(as),
        },
      ),
  };
}
