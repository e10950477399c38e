import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, inject, it } from 'vitest';

const root = inject('unpacked');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { dependencies, peerDependencies } = manifest as Record<string, Record<string, string>>;
const text = (path: string) => readFileSync(join(root, path), 'utf8');

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const isTemplate = (path: string) => path.startsWith(join('dist', 'cli', 'init', 'template'));
/** The console, which browsers load. */
const isPage = (path: string) => path.startsWith(join('dist', 'web', 'console', 'dist'));
const built = files.filter((path) => path.startsWith('dist') && !isTemplate(path) && !isPage(path));

/** Paths in the import statements of a module. Strings in generated code are indented further. */
const importsOf = (code: string): string[] =>
  [
    ...code.matchAll(/^(?:import|export)\b[^;'"`]*?from ['"]([^'"]+)['"]/gm),
    ...code.matchAll(/^import ['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
  ].map(([, from = '']) => from);
const packageOf = (from: string) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(from)?.[0] ?? from;
const isPackage = (from: string) => !/^(\.|#|node:)/.test(from) && packageOf(from) !== manifest.name;

describe('the package', () => {
  it('has the build, the documents, and the template of a new project', () => {
    expect(files.filter((path) => !/^(dist|docs)[\\/]/.test(path)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(built.filter((path) => !/\.(js|d\.ts|json)$/.test(path))).toEqual([]);
    expect(built.filter((path) => /\.test\.|(^|\/)(test|bench|agents|scripts)\//.test(path))).toEqual([]);
    expect(files.filter(isTemplate).length).toBeGreaterThan(5);
    const page = files.filter(isPage);
    expect(page.filter((path) => !/(index\.html|\.(js|css|svg))$/.test(path))).toEqual([]);
    for (const ending of ['index.html', '.js', '.css']) expect(page.join('\n')).toContain(ending);
  });

  it('has each entry, its types, and its command', () => {
    const targets = Object.values(manifest.exports as Record<string, Record<string, string>>)
      .filter((entry) => typeof entry === 'object')
      .flatMap(({ types = '', default: code = '' }) => [types, code]);
    expect(targets).toHaveLength(28);
    for (const path of [...targets, manifest.bin.steploop]) expect(files).toContain(normalize(path));
    expect(text(manifest.bin.steploop).split('\n')[0]).toBe('#!/usr/bin/env node');
  });

  it('depends on exactly what it imports', () => {
    const imported = built.filter((path) => path.endsWith('.js')).flatMap((path) => importsOf(text(path)));
    const wanted = new Set(imported.filter(isPackage).map(packageOf));
    expect([...wanted].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
  });

  it('leaves the versions of packages that the user imports too to the user', () => {
    expect(Object.keys(peerDependencies ?? {})).toEqual(
      expect.arrayContaining(['aws-cdk-lib', 'constructs', 'zod']),
    );
  });
});

const entries = Object.entries(manifest.exports as Record<string, { types?: string }>).flatMap(
  ([name, { types }]) => (types ? [{ name, types: normalize(types) }] : []),
);

describe.each(entries)('the declarations of $name', ({ types }) => {
  it('need only packages that come along', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const read = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const from of importsOf(text(path))) {
        if (from.startsWith('.')) read(join(dirname(path), from.replace(/\.ts$/, '.d.ts')));
        else if (isPackage(from)) packages.add(packageOf(from));
      }
    };
    read(types);
    const there = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...packages].filter((name) => !there.includes(name))).toEqual([]);
  });

  it('document each export', () => {
    const exported = exportsOf(types);
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.filter(({ said }) => !said).map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  });
});

interface Exported {
  readonly name: string;
  readonly path: string;
  /** Whether a docstring stands before it. */
  readonly said: boolean;
}

/** The exports of a declaration file, with the place of each declaration. */
function exportsOf(path: string): Exported[] {
  const code = text(path);
  const again = [...code.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      names.split(',').flatMap((name) => {
        const [asDeclared = ''] = name
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        return asDeclared === ''
          ? []
          : [find(asDeclared, join(dirname(path), from.replace(/\.ts$/, '.d.ts')))];
      }),
  );
  const own = [...code.matchAll(DECLARED)].map(([, before, name = '']) => ({
    name,
    path,
    said: Boolean(before),
  }));
  // If a value and a type have the same name, one docstring is enough.
  return [...again, ...own].map((one) => ({
    ...one,
    said: own.concat(again).some(({ name, said }) => name === one.name && said),
  }));
}

/** A declaration, with the end of the docstring before it. */
const DECLARED =
  /(\*\/\n)?^export (?:declare )?(?:abstract )?(?:function|const|let|class|interface|type|enum) (\w+)/gm;

function find(name: string, path: string): Exported {
  return exportsOf(path).find((one) => one.name === name) ?? { name, path, said: false };
}
