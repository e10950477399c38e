/** Removes or defers the parts of the AWS SDK that a Lambda function does not use: 162 KB, of which 103 are in chunks for later. */

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
 * The default chain tries environment variables, SSO, shared ini files, a process, a web identity and the instance metadata, and
 * brings four more AWS clients to do it. Lambda gives a function its role's credentials in environment variables, including the
 * session token, and they outlive the execution environment, so the first link of the chain is enough. 111 KB, most of it for
 * later, and a few ms.
 */
const credentials = `
  export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
  export const credentialsTreatedAsExpired = () => false;
  export const credentialsWillNeedRefresh = () => false;
`;

/**
 * Each client describes the shapes of all its operations. Each description is an array that is unused unless an operation refers
 * to it. But those of S3 and other REST services have computed keys (`{ [_h]: … }`), which esbuild takes for a side effect and
 * keeps. Wrapped in a call that is marked pure, they can be dropped. API Gateway: 5 KB. S3: 59 KB, where its commands are
 * imported by name (a package that is itself imported dynamically is kept whole).
 */
function markPure(source: string): string {
  return source.replace(
    /^export var (\S+) = (\[[\s\S]*?\n?\]);$/gm,
    (_, name, value) => `export var ${name} = /* @__PURE__ */ (() => (${value}))();`,
  );
}

/** Errors whose classes a step needs. */
const WANTED = /^(?:DynamoDBServiceException|SQSServiceException|ConditionalCheckFailedException)$/;

/**
 * A client registers a class for each error of all its operations. An unregistered error is thrown as the client's base exception
 * with the error's own name, message, fault and metadata, which is all that retries look at. 25 KB.
 */
function withoutErrors(source: string): string {
  const kept = source.replace(/^\w+_registry\.registerError\(\w+\$, (\w+)\);$/gm, (line, name) =>
    WANTED.test(name) ? line : '',
  );
  return markPure(kept);
}

/** Code that imports the class of an error, such as a tool, still recognizes the exception with `instanceof`: the class compares names. */
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
 * DynamoDB's client can ask the service for other endpoints (off by default) and caches them in an LRU cache from a CommonJS
 * library. It never has more than one endpoint, so a Map is enough. 7 KB.
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
