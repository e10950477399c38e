import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Access } from '../iam/access.ts';
import { type Call, jsonOf } from '../iam/call.ts';
import type { OverLimit } from '../iam/refusals.ts';
import { wantedOfSecrets } from '../iam/wanted.ts';
import { arnOf } from '../identity.ts';
import { type RunningService, ServiceError, startJsonService } from './json-service.ts';

/** A running Secrets Manager: creates, reads, changes and deletes secrets; nothing else is emulated. */
export interface LocalSecrets extends RunningService {
  /**
   * Declares a secret and returns its ARN. A stored value stays as long as `declaration` (the template's text about it) is
   * unchanged; otherwise `initial` makes a new one, as CloudFormation would.
   */
  declare(name: string, declaration: string, initial: () => string): string;
}

interface Input {
  readonly Name?: string;
  readonly SecretId?: string;
  readonly SecretString?: string;
}

interface StoredSecret {
  arn: string;
  /** Hash of the template's declaration that made this value. */
  declared: string;
  version: string;
  text: string;
  /** Seconds since 1970. */
  createdAt: number;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** Bytes of a secret's value (Secrets Manager's user guide, "Quotas"), and characters of its name (API reference, CreateSecret). */
const MOST = { value: 65_536, name: 512 };

/** Starts the service. With `file`, values are kept there (readable by this user only). With `access`, callers are restricted to it. */
export async function startSecretsManager(file: string | undefined, access?: Access): Promise<LocalSecrets> {
  const stored = new Map<string, StoredSecret>(file !== undefined && existsSync(file) ? read(file) : []);
  const save = (): void => {
    if (file === undefined) return;
    writeFileSync(`${file}.next`, JSON.stringify(Object.fromEntries(stored), undefined, 2), { mode: 0o600 });
    renameSync(`${file}.next`, file);
  };
  const service = await startJsonService<Input>({
    name: 'Secrets Manager',
    target: 'secretsmanager',
    maxBodyBytes: MAX_BODY_BYTES,
    access,
    wantedBy: wantedOfSecrets((id) => find(stored, id)?.[1].arn),
    serviceOf: () => 'secretsmanager',
    overLimit,
    answer: (operation, input) => resultOf(operation, input, stored, save),
  });
  return {
    ...service,
    declare(name, declaration, initial) {
      const declared = createHash('sha256').update(declaration).digest('hex');
      const known = stored.get(name);
      if (known?.declared === declared) return known.arn;
      const arn = arnOf('secretsmanager', `secret:${name}-${declared.slice(0, 6)}`);
      stored.set(name, { arn: known?.arn ?? arn, declared, ...fresh(initial()) });
      save();
      return known?.arn ?? arn;
    },
  };
}

function resultOf(
  operation: string,
  input: Input,
  stored: Map<string, StoredSecret>,
  save: () => void,
): object {
  if (operation === 'CreateSecret') return create(stored, save, input);
  const found = find(stored, input.SecretId ?? '');
  if (!['GetSecretValue', 'PutSecretValue', 'DeleteSecret'].includes(operation))
    throw new ServiceError('UnknownOperationException', `${operation} is not emulated`);
  if (!found)
    throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  const [name, secret] = found;
  if (operation === 'DeleteSecret') {
    // As with ForceDeleteWithoutRecovery; a recovery window is not emulated.
    stored.delete(name);
    save();
    return { ARN: secret.arn, Name: name, DeletionDate: Date.now() / 1000 };
  }
  if (operation === 'PutSecretValue') {
    const next = { ...secret, ...fresh(input.SecretString ?? '') };
    stored.set(name, next);
    save();
    return { ARN: next.arn, Name: name, VersionId: next.version, VersionStages: ['AWSCURRENT'] };
  }
  return {
    ARN: secret.arn,
    Name: name,
    VersionId: secret.version,
    SecretString: secret.text,
    VersionStages: ['AWSCURRENT'],
    CreatedDate: secret.createdAt,
  };
}

/** The limit that a call exceeds. */
function overLimit({ body }: Call): OverLimit | undefined {
  const { Name: name = '', SecretString: value = '' } = jsonOf(body);
  const isOver = Buffer.byteLength(String(value)) > MOST.value;
  if (!isOver && String(name).length <= MOST.name) return undefined;
  const [what, most] = isOver ? ['secretString', MOST.value] : ['name', MOST.name];
  return {
    kind: 'over-limit',
    code: 'ValidationException',
    message: `1 validation error detected: Value at '${what}' failed to satisfy constraint: Member must have length less than or equal to ${most}`,
  };
}

/** The output of CreateSecret. */
function create(
  stored: Map<string, StoredSecret>,
  save: () => void,
  { Name: name = '', SecretString: text = '' }: Input,
): object {
  if (stored.has(name))
    throw new ServiceError(
      'ResourceExistsException',
      `The operation failed because the secret ${name} already exists.`,
    );
  const arn = arnOf('secretsmanager', `secret:${name}-${randomUUID().slice(0, 6)}`);
  const secret = { arn, declared: '', ...fresh(text) };
  stored.set(name, secret);
  save();
  return { ARN: arn, Name: name, VersionId: secret.version };
}

/** By name, ARN, or ARN without the random suffix. */
function find(stored: Map<string, StoredSecret>, id: string): [string, StoredSecret] | undefined {
  return [...stored].find(
    ([name, secret]) => id === name || id === secret.arn || id === secret.arn.slice(0, -7),
  );
}

function fresh(text: string): { text: string; version: string; createdAt: number } {
  return { text, version: randomUUID(), createdAt: Math.floor(Date.now() / 1000) };
}

function read(file: string): [string, StoredSecret][] {
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, StoredSecret>);
}
