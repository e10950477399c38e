/**
 * Removes or defers the parts of zod that a function does not use, or not at once.
 *
 * `import { z } from 'zod'` becomes `import * as z from 'zod'`, in this package and in agents. They mean the same, but esbuild
 * must keep every member of an object called `z`, and of a namespace only those that are used: fifty languages less, and much
 * else. One such import anywhere, for example in an agent, costs 373 KB and 11 ms. This package writes the latter itself.
 *
 * Each schema can be converted to JSON Schema. A session's tools are converted once, when it begins; other steps and functions
 * never do it. So that code is in a file that the first conversion loads. 21 KB.
 */

import type { Plugin } from 'esbuild';
import { later } from './later.ts';
import { replace } from './replace.ts';

export const zodDiet: Plugin = {
  name: 'zod-diet',
  setup(build) {
    replace(build, /\.ts$/, asNamespace, 'ts');
    later(build, JSON_SCHEMA, jsonSchema);
    replace(build, /\/zod\/v4\/classic\/(?:schemas|external)\.js$/, withoutJsonSchema);
  },
};

function asNamespace(source: string): string {
  return source.replace(/^import \{ z \} from (['"])zod\1;?/gm, "import * as z from 'zod';");
}

const JSON_SCHEMA = 'zod-json-schema';

const jsonSchema = `
  export * from '../core/json-schema-processors.js';
  export * from '../core/to-json-schema.js';
`;

/** A line that is not found stays, and brings the original. */
function withoutJsonSchema(source: string): string {
  const { later, processors, methods, toJSONSchema } = lines;
  if (source.includes(processors) && source.includes(methods)) {
    return source.replace(processors, `${later}\nconst processors = later;`).replace(methods, lazyMethods);
  }
  return source.replace(
    toJSONSchema,
    `${later}\nexport const toJSONSchema = (...args) => later.toJSONSchema(...args);`,
  );
}

const lines = {
  later: `import { later } from '${JSON_SCHEMA}';`,
  processors: 'import * as processors from "../core/json-schema-processors.js";',
  methods:
    'import { createStandardJSONSchemaMethod, createToJSONSchemaMethod } from "../core/to-json-schema.js";',
  toJSONSchema: 'export { toJSONSchema } from "../core/json-schema-processors.js";',
};

const lazyMethods = `
  const createStandardJSONSchemaMethod = (...args) => (params) => later.createStandardJSONSchemaMethod(...args)(params);
  const createToJSONSchemaMethod = (...args) => (params) => later.createToJSONSchemaMethod(...args)(params);
`;
