import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createLinks } from '../../shared/aws/links.ts';
import { createUploadsOfPeople } from '../../shared/aws/people-uploads.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createUploads } from '../../shared/aws/uploads.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { linksContract } from './links.ts';
import { uploadsContract } from './uploads.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

uploadsContract('aws', async (clock) => {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  const purge = createPurge(aws.s3, aws.bucket);
  return { ...createUploads(dynamo, clock), ...createUploadsOfPeople(dynamo, clock, purge) };
});

let made = 0;

/** Each test has its own objects, since they share one bucket. */
linksContract('aws', async () => {
  const folder = `test${++made}`;
  const links = createLinks(aws.s3, aws.bucket);
  const blobs = createBlobs(aws.clients.s3(), aws.bucket);
  return {
    links: {
      uploadTo: (key, what) => links.uploadTo(`${folder}/${key}`, what),
      downloadFrom: (key, as) => links.downloadFrom(`${folder}/${key}`, as),
    },
    blobs: {
      put: (key, body) => blobs.put(`${folder}/${key}`, body),
      get: (key) => blobs.get(`${folder}/${key}`),
    },
    fetch,
    pass: (seconds) => setTimeout(seconds * 1000),
  };
});

test('aws: the holder of a link cannot change what it says', async () => {
  const url = await createLinks(aws.s3, aws.bucket).downloadFrom('acme/x', {
    name: 'x',
    mediaType: 'text/plain',
    seconds: 60,
  });
  for (const [from, to] of [
    ['text%2Fplain', 'text%2Fhtml'],
    ['X-Amz-Expires=60', 'X-Amz-Expires=600000'],
    ['acme/x', 'other/x'],
  ] as const) {
    expect(url).toContain(from);
    expect((await fetch(url.replace(from, to))).status).toBe(403);
  }
});

test('aws: a page of another origin can put to a link, with its type and no other header', async () => {
  const { url } = await createLinks(aws.s3, aws.bucket).uploadTo('acme/page', {
    mediaType: 'image/png',
    bytes: 3,
    seconds: 60,
  });
  const preflight = (headers: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': headers,
      },
    });
  const allowed = await preflight('content-type');
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
  expect((await preflight('content-type,x-amz-acl')).status).toBe(403);
  const put = await fetch(url, {
    method: 'PUT',
    body: 'png',
    headers: { origin: 'https://app.example', 'content-type': 'image/png' },
  });
  expect(put.status).toBe(200);
  expect(put.headers.get('access-control-allow-origin')).toBe('*');
});
