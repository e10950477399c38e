import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Access } from '../iam/access.ts';
import { standBefore } from '../iam/door.ts';
import { refusePages } from '../iam/pages.ts';
import { refuseJson } from '../iam/refusals.ts';
import { wantedOfKms } from '../iam/wanted.ts';
import { arnOf } from '../identity.ts';
import { closed, LOOPBACK, listen } from '../listen.ts';
import { readBody } from '../read-body.ts';

/** A running KMS: GenerateDataKey, Decrypt and DescribeKey of symmetric keys over JSON 1.1; nothing else is emulated. */
export interface LocalKms {
  endpoint: string;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;
/** Longest ciphertext that `Decrypt` takes (KMS's API reference). */
const MAX_BLOB_BYTES = 6_144;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** An error of KMS's API, by its name. */
class KmsError extends Error {
  readonly code: string;
  constructor(code: string, message = '') {
    super(message);
    this.code = code;
  }
}

/**
 * Starts the service. Any ARN of a key is one, because a template may import its key. With `file`, keys survive a restart
 * (readable by this user only). With `access`, callers are restricted to it.
 */
export async function startKms(file: string | undefined, access?: Access): Promise<LocalKms> {
  const root = rootOf(file);
  const server = createServer((request, response) => {
    answer(request, response, root).catch((error: unknown) => {
      const code = error instanceof KmsError ? error.code : 'SerializationException';
      send(response, 400, { __type: code, message: error instanceof Error ? error.message : String(error) });
    });
  });
  standBefore(server, {
    access,
    wantedBy: wantedOfKms(keyOfBlob),
    serviceOf: () => 'kms',
    refuse: () => refuseJson,
  });
  refusePages(server, () => refuseJson);
  const port = await listen(server, 0, 'embedded KMS');
  return {
    endpoint: `http://${LOOPBACK}:${port}`,
    async stop() {
      server.closeAllConnections();
      await closed(server);
    },
  };
}

/** The secret from which the material of every key is derived. */
function rootOf(file: string | undefined): Buffer {
  if (file !== undefined && existsSync(file)) return Buffer.from(readFileSync(file, 'utf8'), 'hex');
  const root = randomBytes(32);
  if (file !== undefined) writeFileSync(file, root.toString('hex'), { mode: 0o600 });
  return root;
}

interface Input {
  readonly KeyId?: string;
  readonly KeySpec?: string;
  readonly NumberOfBytes?: number;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

async function answer(request: IncomingMessage, response: ServerResponse, root: Buffer): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.kind !== 'read') return void response.destroy();
  const operation = String(request.headers['x-amz-target'] ?? '').replace('TrentService.', '');
  const input = JSON.parse(body.bytes.toString() || '{}') as Input;
  send(response, 200, resultOf(operation, input, root));
}

function resultOf(operation: string, input: Input, root: Buffer): object {
  switch (operation) {
    case 'GenerateDataKey':
      return generate(input, root);
    case 'Decrypt':
      return decrypt(input, root);
    case 'DescribeKey': {
      const arn = arnOfKey(input.KeyId);
      return {
        KeyMetadata: {
          ...{ Arn: arn, KeyId: arn.split('/').at(-1), Enabled: true, KeyState: 'Enabled' },
          ...{ KeySpec: 'SYMMETRIC_DEFAULT', KeyUsage: 'ENCRYPT_DECRYPT' },
        },
      };
    }
    default:
      throw new KmsError('UnknownOperationException', `${operation} is not emulated`);
  }
}

function generate({ KeyId, KeySpec, NumberOfBytes, EncryptionContext = {} }: Input, root: Buffer): object {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined))
    throw new KmsError('ValidationException', 'Please specify either number of bytes or key spec.');
  if (KeySpec !== undefined && KeySpec !== 'AES_256' && KeySpec !== 'AES_128')
    throw new KmsError('ValidationException', `KeySpec ${KeySpec} is not one of AES_256, AES_128`);
  const arn = arnOfKey(KeyId);
  const plain = randomBytes(NumberOfBytes ?? (KeySpec === 'AES_128' ? 16 : 32));
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, materialOf(root, arn), nonce).setAAD(contextBytes(EncryptionContext));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const blob = Buffer.concat([Buffer.of(arn.length), Buffer.from(arn), nonce, sealed]);
  return { KeyId: arn, Plaintext: plain.toString('base64'), CiphertextBlob: blob.toString('base64') };
}

function decrypt({ KeyId, CiphertextBlob = '', EncryptionContext = {} }: Input, root: Buffer): object {
  const blob = Buffer.from(CiphertextBlob, 'base64');
  const arn = keyOfBlob(CiphertextBlob);
  if (blob.length > MAX_BLOB_BYTES || arn === undefined) throw new KmsError('InvalidCiphertextException');
  if (KeyId !== undefined && arnOfKey(KeyId) !== arn)
    throw new KmsError(
      'IncorrectKeyException',
      'The key ID in the request does not identify a CMK that can perform this operation.',
    );
  const nonce = blob.subarray(1 + arn.length, 1 + arn.length + NONCE_BYTES);
  const sealed = blob.subarray(1 + arn.length + NONCE_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, materialOf(root, arn), nonce)
      .setAAD(contextBytes(EncryptionContext))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    return { KeyId: arn, Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw new KmsError('InvalidCiphertextException');
  }
}

/** The key that a ciphertext names. */
function keyOfBlob(base64: string): string | undefined {
  const blob = Buffer.from(base64, 'base64');
  const length = blob[0] ?? 0;
  const arn = blob.subarray(1, 1 + length).toString();
  return isKeyArn(arn) && blob.length > 1 + length + NONCE_BYTES + TAG_BYTES ? arn : undefined;
}

function arnOfKey(keyId: string | undefined): string {
  if (keyId === undefined) throw new KmsError('ValidationException', 'Value at keyId must not be null');
  if (isKeyArn(keyId)) return keyId;
  if (/^[0-9a-f-]{36}$/.test(keyId)) return arnOf('kms', `key/${keyId}`);
  throw new KmsError('NotFoundException', `Key '${keyId}' does not exist`);
}

const isKeyArn = (text: string): boolean => /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(text);

const materialOf = (root: Buffer, arn: string): Buffer => Buffer.from(hkdfSync('sha256', root, '', arn, 32));

/** A context is a set of pairs: their order does not matter. */
const contextBytes = (context: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(body));
}
