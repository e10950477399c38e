/** How the services word a refused request. */

import type { ServerResponse } from 'node:http';
import type { Unsigned } from './signature.ts';

/** Why a request does not reach its service: its signature, its caller's permissions in a sentence, or a limit of the service. */
export type Refusal = Unsigned | { readonly kind: 'denied'; readonly message: string } | OverLimit;

/** A request that is larger than its service takes, with the service's own error. */
export interface OverLimit {
  readonly kind: 'over-limit';
  readonly code: string;
  readonly message: string;
}

/** Refuses a request in its service's own format. */
export type Refuse = (response: ServerResponse, refusal: Refusal) => void;

/** JSON 1.0 and 1.1: DynamoDB, SQS, Secrets Manager, KMS. */
export const refuseJson: Refuse = (response, refusal) => {
  const { type, message } = errorOf(refusal);
  const body = JSON.stringify({ __type: type, message, Message: message });
  send(response, 400, { 'content-type': 'application/x-amz-json-1.0' }, body);
};

/** The management API of API Gateway. */
export const refuseRest: Refuse = (response, refusal) => {
  const { type, message } = errorOf(refusal);
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': type };
  send(response, 403, headers, JSON.stringify({ message }));
};

/** REST over XML: S3. */
export const refuseXml: Refuse = (response, refusal) => {
  const [status, code, message] = errorOfS3(refusal);
  send(
    response,
    status,
    { 'content-type': 'application/xml' },
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  );
};

/** The common errors of AWS's APIs. */
function errorOf(refusal: Refusal): { type: string; message: string } {
  switch (refusal.kind) {
    case 'denied':
      return { type: 'AccessDeniedException', message: refusal.message };
    case 'over-limit':
      return { type: refusal.code, message: refusal.message };
    case 'absent':
      return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
    case 'incomplete':
      return {
        type: 'IncompleteSignatureException',
        message: 'The request signature does not conform to AWS standards.',
      };
    case 'other-service':
      return invalid(`Credential should be scoped to correct service: '${refusal.service}'.`);
    case 'skewed':
      return invalid(
        `Signature expired or not yet current: ${refusal.signed} is more than ${refusal.minutes} min. from ${refusal.now}.`,
      );
    case 'expired':
    case 'lasting':
    case 'mismatch':
    case 'other-body':
      return invalid(
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    default:
      return refusal satisfies never;
  }
}

const invalid = (message: string) => ({ type: 'InvalidSignatureException', message });

/** S3 has errors of its own (its API reference, "Error responses"): status, code, message. */
function errorOfS3(refusal: Refusal): [number, string, string] {
  switch (refusal.kind) {
    case 'denied':
      return [403, 'AccessDenied', refusal.message];
    case 'over-limit':
      return [400, refusal.code, refusal.message];
    case 'absent':
      return [403, 'AccessDenied', 'Access Denied'];
    case 'expired':
      return [403, 'AccessDenied', 'Request has expired'];
    case 'lasting':
      return [
        400,
        'AuthorizationQueryParametersError',
        'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
      ];
    case 'incomplete':
      return [400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.'];
    case 'other-service':
      return [
        400,
        'AuthorizationHeaderMalformed',
        `The authorization header is malformed; incorrect service. This endpoint belongs to "${refusal.service}".`,
      ];
    case 'skewed':
      return [
        403,
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
      ];
    case 'mismatch':
      return [
        403,
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
      ];
    case 'other-body':
      return [
        400,
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      ];
    default:
      return refusal satisfies never;
  }
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
