import { describe, expect, test } from 'vitest';
import { compile } from '../../../tools/typescript/compile.ts';
import { typecheck } from '../../../tools/typescript/index.ts';
import { noSession, toolServices } from '../../support/tool-services.ts';

const files = (texts: Record<string, string>) => new Map(Object.entries(texts));

describe('typecheck', () => {
  test('T30: reports errors with their place', () => {
    const { exitCode, errors, count } = compile(
      files({
        'src/a.ts': 'export const a: number = "one";\n',
        'src/b.ts': 'import { c } from "./a.ts";\nc;\n',
      }),
    );
    expect({ exitCode, count }).toEqual({ exitCode: 2, count: 2 });
    expect(errors).toEqual([
      "src/a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
      "src/b.ts(1,10): error TS2305: Module '\"./a.ts\"' has no exported member 'c'.",
    ]);
  });

  test.each<{ what: string; texts: Record<string, string> }>([
    { what: 'correct code', texts: { 'a.ts': 'export const a = [1, 2].map((n) => n + 1);' } },
    { what: 'no TypeScript', texts: { 'a.js': 'let a = ;', 'README.md': '#' } },
    {
      what: 'Node, and packages that are not in the workspace',
      texts: {
        'a.ts':
          "import { readFile } from 'node:fs/promises';\nimport test from 'node:test';\nimport { z } from 'zod';\ntest('a', async () => console.log(process.env.A, z, import.meta.dirname, Buffer.from(await readFile('a'))));",
      },
    },
    {
      what: 'a project whose settings come from a missing package or an older compiler',
      texts: {
        'tsconfig.json':
          '{ "extends": "@tsconfig/node24/tsconfig.json", "compilerOptions": { "moduleResolution": "node", "baseUrl": ".", "types": ["node"] } }',
        'a.ts': 'export const a: number = 1;',
      },
    },
    {
      what: 'files that the project excludes',
      texts: {
        'tsconfig.json': '{ // comments are fine\n "include": ["src"], "exclude": ["src/old/**"] }',
        'src/a.ts': 'export const a: number = 1;',
        'src/old/b.ts': 'export const b: number = "";',
        'other.ts': 'export const c: number = "";',
        'node_modules/x/index.ts': 'export const d: number = "";',
      },
    },
    {
      what: 'a project without files',
      texts: { 'tsconfig.json': '{}', 'a.md': '' },
    },
  ])('T30: reports nothing about $what', ({ texts }) => {
    expect(compile(files(texts))).toEqual({ exitCode: 0, errors: [], count: 0 });
  });

  test('T30: a project is checked by its own settings, and their errors are reported', () => {
    const loose = {
      'tsconfig.json': '{ "compilerOptions": { "strict": false } }',
      'a.ts': 'function a(b) { return b; }\na(1);',
    };
    expect(compile(files(loose)).count).toBe(0);
    expect(compile(files({ 'a.ts': loose['a.ts'] })).errors[0]).toContain(
      "Parameter 'b' implicitly has an 'any' type",
    );
    const odd = compile(files({ 'tsconfig.json': '{ "compilerOptions": { "target": "es1" } }', 'a.ts': '' }));
    expect(odd.errors[0]).toMatch(/^tsconfig\.json\(1,\d+\): error TS6046/);
  });

  test('T30: a module of the workspace that is missing is an error', () => {
    expect(compile(files({ 'a.ts': "import './gone.ts';\nexport {};" })).errors[0]).toContain('gone.ts');
  });

  test('T30: of many errors the first are shown, and how many there are', () => {
    const lines = Array.from({ length: 80 }, (_, i) => `export const a${i}: number = '';`);
    const { errors, count } = compile(files({ 'a.ts': lines.join('\n') }));
    expect([errors.length, count]).toEqual([50, 80]);
  });

  test('T30: it runs over the workspace in its own thread', async () => {
    const services = toolServices();
    await services.workspace.write('a.ts', 'export const a: number = "one";');
    await services.workspace.write('a.png', new Uint8Array([1, 2, 3]));
    const { signal } = new AbortController();
    const context = { ...noSession, services, signal } as unknown as Parameters<
      ReturnType<typeof typecheck>['run']
    >[1];
    expect(await typecheck().run({}, context)).toMatchObject({ exitCode: 2, count: 1 });
  });

  test('invalid options are refused', () => {
    expect(() => typecheck({ timeoutSeconds: 0 })).toThrow('timeoutSeconds');
  });
});
