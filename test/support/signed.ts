/** Headers of a request to the embedded S3, which refuses unsigned ones and does not check signatures in headers. */
export const signed = { authorization: 'AWS4-HMAC-SHA256 Credential=test/' } as const;
