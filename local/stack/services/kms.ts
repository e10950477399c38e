import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Access } from '../iam/access.ts';
import { wantedOfKms } from '../iam/wanted.ts';
import { arnOf } from '../identity.ts';
import { type RunningService, ServiceError, startJsonService } from './json-service.ts';

/** A running KMS: GenerateDataKey, Decrypt and DescribeKey of symmetric keys; nothing else is emulated. */
export type LocalKms = RunningService;

const MAX_BODY_BYTES = 64 * 1024;
/** Longest ciphertext that `Decrypt` takes (KMS's API reference). */
const MAX_BLOB_BYTES = 6_144;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/**
 * Starts the service. Any ARN of a key is one, because a template may import its key. With `file`, keys survive a restart
 * (readable by this user only). With `access`, callers are restricted to it.
 */
export function startKms(file: string | undefined, access?: Access): Promise<LocalKms> {
  const root = rootOf(file);
  return startJsonService<Input>({
    name: 'KMS',
    target: 'TrentService',
    maxBodyBytes: MAX_BODY_BYTES,
    access,
    wantedBy: wantedOfKms(keyOfBlob),
    serviceOf: () => 'kms',
    answer: (operation, input) => resultOf(operation, input, root),
  });
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
      throw new ServiceError('UnknownOperationException', `${operation} is not emulated`);
  }
}

function generate({ KeyId, KeySpec, NumberOfBytes, EncryptionContext = {} }: Input, root: Buffer): object {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined))
    throw new ServiceError('ValidationException', 'Please specify either number of bytes or key spec.');
  if (KeySpec !== undefined && KeySpec !== 'AES_256' && KeySpec !== 'AES_128')
    throw new ServiceError('ValidationException', `KeySpec ${KeySpec} is not one of AES_256, AES_128`);
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
  if (blob.length > MAX_BLOB_BYTES || arn === undefined) throw new ServiceError('InvalidCiphertextException');
  if (KeyId !== undefined && arnOfKey(KeyId) !== arn)
    throw new ServiceError(
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
    throw new ServiceError('InvalidCiphertextException');
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
  if (keyId === undefined) throw new ServiceError('ValidationException', 'Value at keyId must not be null');
  if (isKeyArn(keyId)) return keyId;
  if (/^[0-9a-f-]{36}$/.test(keyId)) return arnOf('kms', `key/${keyId}`);
  throw new ServiceError('NotFoundException', `Key '${keyId}' does not exist`);
}

const isKeyArn = (text: string): boolean => /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(text);

const materialOf = (root: Buffer, arn: string): Buffer => Buffer.from(hkdfSync('sha256', root, '', arn, 32));

/** A context is a set of pairs: their order does not matter. */
const contextBytes = (context: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
