/** What of the AWS SDK a Lambda function never uses: 162 KB, of which 103 are in chunks for later. */

import type { Plugin } from 'esbuild';
import { replace } from './replace.ts';

export const awsDiet: Plugin = {
  name: 'aws-diet',
  setup(build) {
    replace(build, /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/, () => credentials);
    replace(build, /@aws-sdk\/client-(?:dynamodb|sqs)\/dist-es\/schemas\/schemas_0\.js$/, withoutErrors);
    replace(
      build,
      /@aws-sdk\/client-(?:dynamodb|sqs)\/dist-es\/models\/\w+ServiceException\.js$/,
      knownByName,
    );
    replace(build, /@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/, markPure);
    replace(build, /@aws-sdk\/client-[^/]+\/package\.json$/, versionOnly, 'json');
    replace(build, /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Node\.js$/, withoutOwnSha);
    replace(build, /@aws-sdk\/endpoint-cache\/dist-es\/EndpointCache\.js$/, withoutLru);
  },
};

/**
 * The default chain tries environment variables, SSO, shared ini files, a process, a web identity and the
 * instance metadata, and brings four more AWS clients to do it. Lambda gives a function its role's
 * credentials in environment variables, session token included, and they outlive the execution environment:
 * the first link is all of the chain. 111 KB, most of it for later, and a few ms.
 */
const credentials = `
  export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
  export const credentialsTreatedAsExpired = () => false;
  export const credentialsWillNeedRefresh = () => false;
`;

/**
 * Each client describes the shapes of all its operations, and each description is an array that nobody
 * misses unless an operation refers to it. But those of S3 and other REST services have computed keys
 * (`{ [_h]: … }`), which esbuild takes for a side effect and keeps. As the value of a call marked pure they
 * can go. API Gateway: 5 KB. S3: 59 KB, where its commands are imported by name (all of a package that is
 * itself imported dynamically is kept).
 */
function markPure(source: string): string {
  return source.replace(
    /^export var (\S+) = (\[[\s\S]*?\n?\]);$/gm,
    (_, name, value) => `export var ${name} = /* @__PURE__ */ (() => (${value}))();`,
  );
}

/** Errors that a step is to know whole. */
const WANTED = /^(?:DynamoDBServiceException|SQSServiceException|ConditionalCheckFailedException)$/;

/**
 * A client registers a class for each error of all its operations. What is not registered is thrown as the client's base
 * exception with the error's own name, message, fault and metadata, and retries look at these. 25 KB.
 */
function withoutErrors(source: string): string {
  const kept = source.replace(/^\w+_registry\.registerError\(\w+\$, (\w+)\);$/gm, (line, name) =>
    WANTED.test(name) ? line : '',
  );
  return markPure(kept);
}

/** Whoever imports the class of an error, a tool say, knows such an exception by `instanceof` all the same: by its name. */
function knownByName(source: string): string {
  return source.replace(
    'extends __ServiceException {',
    `$&
      static [Symbol.hasInstance](error) {
        return super[Symbol.hasInstance](error) || (__ServiceException.isInstance(error) && error.name === this.name);
      }`,
  );
}

/** A client puts its version in the user agent, and its whole package.json in the bundle. 11 KB. */
function versionOnly(source: string): string {
  return JSON.stringify({ version: JSON.parse(source).version });
}

/**
 * DynamoDB's client can ask the service for other endpoints (off by default) and remembers them in an LRU
 * cache from a CommonJS library. It is asked for no more than one endpoint, so a Map that never forgets
 * does. 7 KB.
 */
function withoutLru(source: string): string {
  return source.replace(
    /import LRUCache from ["']mnemonist\/lru-cache["'];/,
    'class LRUCache extends Map { constructor() { super(); } peek(key) { return this.get(key); } }',
  );
}

/** SHA-256 in JavaScript, for a Node without OpenSSL. 3 KB. */
const withoutOwnSha = (source: string): string =>
  source.replace('import { Sha256Js } from "./Sha256Js";', 'const Sha256Js = undefined;');
