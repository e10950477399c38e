import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = new URL('../../../shared/agent/', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const source = (file: string) => readFileSync(join(root, file), 'utf8');
const importsOf = (file: string) =>
  [...source(file).matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);

describe('A22: structure', () => {
  test('A22: the core imports zod, its hash, its validator, its search, its diff, its YAML, its calendar and the contract, and no SDK', () => {
    const outside = files.flatMap((file) => importsOf(file).filter((name) => !name.startsWith('.')));
    expect(
      [...new Set(outside)].filter(
        (name) => !/^(zod|minisearch|diff|re2js|yaml|croner|@(noble\/hashes|orama)\/.*)$/.test(name),
      ),
    ).toEqual([]);
    const siblings = files.flatMap((file) =>
      importsOf(file).filter((name) => name.includes('../') && /\/(aws|memory)\//.test(name)),
    );
    expect(siblings).toEqual([]);
  });

  test('A22: the core uses no clock, no randomness, no environment, and starts no timer', () => {
    // A port may have a `fetch`: the port names it, and it is called on the port.
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bsetTimeout\b|\bsetInterval\b|\bprocess\.|(?<!\.)\bfetch\((?!url: )|\bcrypto\b/;
    const found = files.filter((file) => impure.test(source(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')));
    expect(found).toEqual([]);
  });

  test('A22: guards do no input or output', () => {
    const guards = files.filter((file) => file.startsWith('guardrails/'));
    expect(guards.length).toBeGreaterThan(8);
    for (const file of guards) {
      const code = source(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(code, file).not.toMatch(/\basync\b|\bawait\b|\bPromise\b/);
      expect(code, file).not.toMatch(/\bDate\b|\bperformance\b|\bconsole\b|\bglobalThis\b|\bTemporal\b/);
    }
  });

  test('A22: step.ts exports its one function, and run-step.ts its own', () => {
    const exported = (file: string) =>
      [...source(file).matchAll(/^export (?:async )?(\w+) (\w+)/gm)].map(([, , name]) => name);
    expect(exported('step/step.ts')).toEqual(['goOn']);
    expect(exported('step/run-step.ts')).toEqual(['readLoop', 'runStep']);
  });
});
