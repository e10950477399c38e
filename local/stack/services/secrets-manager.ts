import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Access } from '../iam/access.ts';
import { type Call, jsonOf } from '../iam/call.ts';
import { standBefore } from '../iam/door.ts';
import { refusePages } from '../iam/pages.ts';
import { type OverLimit, refuseJson } from '../iam/refusals.ts';
import { wantedOfSecrets } from '../iam/wanted.ts';
import { arnOf } from '../identity.ts';
import { closed, LOOPBACK, listen } from '../listen.ts';
import { readBody } from '../read-body.ts';

/** A running Secrets Manager: creates, reads, changes and deletes secrets over JSON 1.1; nothing else is emulated. */
export interface LocalSecrets {
  endpoint: string;
  /**
   * Declares a secret and returns its ARN. A stored value stays as long as `declaration` (the template's text about it) is
   * unchanged; otherwise `initial` makes a new one, as CloudFormation would.
   */
  declare(name: string, declaration: string, initial: () => string): string;
  stop(): Promise<void>;
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
  const server = createServer((request, response) => {
    answer(request, response, stored, save).catch((error: unknown) =>
      send(response, 400, { __type: 'SerializationException', message: String(error) }),
    );
  });
  standBefore(server, {
    access,
    wantedBy: wantedOfSecrets((id) => find(stored, id)?.[1].arn),
    serviceOf: () => 'secretsmanager',
    refuse: () => refuseJson,
    overLimit,
  });
  refusePages(server, () => refuseJson);
  const port = await listen(server, 0, 'embedded Secrets Manager');
  return {
    endpoint: `http://${LOOPBACK}:${port}`,
    declare(name, declaration, initial) {
      const declared = createHash('sha256').update(declaration).digest('hex');
      const known = stored.get(name);
      if (known?.declared === declared) return known.arn;
      const arn = arnOf('secretsmanager', `secret:${name}-${declared.slice(0, 6)}`);
      stored.set(name, { arn: known?.arn ?? arn, declared, ...fresh(initial()) });
      save();
      return known?.arn ?? arn;
    },
    async stop() {
      server.closeAllConnections();
      await closed(server);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  stored: Map<string, StoredSecret>,
  save: () => void,
): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.kind !== 'read') return void response.destroy();
  const operation = String(request.headers['x-amz-target'] ?? '').replace('secretsmanager.', '');
  const input = JSON.parse(body.bytes.toString() || '{}') as {
    Name?: string;
    SecretId?: string;
    SecretString?: string;
  };
  if (operation === 'CreateSecret') {
    const { status, body } = create(stored, save, input);
    return send(response, status, body);
  }
  const found = find(stored, input.SecretId ?? '');
  if (!['GetSecretValue', 'PutSecretValue', 'DeleteSecret'].includes(operation)) {
    return send(response, 400, {
      __type: 'UnknownOperationException',
      message: `${operation} is not emulated`,
    });
  }
  if (!found) {
    const message = "Secrets Manager can't find the specified secret.";
    return send(response, 400, { __type: 'ResourceNotFoundException', message });
  }
  const [name, secret] = found;
  if (operation === 'DeleteSecret') {
    // As with ForceDeleteWithoutRecovery; a recovery window is not emulated.
    stored.delete(name);
    save();
    return send(response, 200, { ARN: secret.arn, Name: name, DeletionDate: Date.now() / 1000 });
  }
  if (operation === 'PutSecretValue') {
    const next = { ...secret, ...fresh(input.SecretString ?? '') };
    stored.set(name, next);
    save();
    return send(response, 200, {
      ARN: next.arn,
      Name: name,
      VersionId: next.version,
      VersionStages: ['AWSCURRENT'],
    });
  }
  send(response, 200, {
    ARN: secret.arn,
    Name: name,
    VersionId: secret.version,
    SecretString: secret.text,
    VersionStages: ['AWSCURRENT'],
    CreatedDate: secret.createdAt,
  });
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

/** The answer to CreateSecret. */
function create(
  stored: Map<string, StoredSecret>,
  save: () => void,
  { Name: name = '', SecretString: text = '' }: { Name?: string; SecretString?: string },
): { status: number; body: object } {
  if (stored.has(name)) {
    const message = `The operation failed because the secret ${name} already exists.`;
    return { status: 400, body: { __type: 'ResourceExistsException', message } };
  }
  const arn = arnOf('secretsmanager', `secret:${name}-${randomUUID().slice(0, 6)}`);
  const secret = { arn, declared: '', ...fresh(text) };
  stored.set(name, secret);
  save();
  return { status: 200, body: { ARN: arn, Name: name, VersionId: secret.version } };
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

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(body));
}
