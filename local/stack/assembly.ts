import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Template } from './template/types.ts';

/** One stack of a CDK cloud assembly. */
export interface Assembly {
  stackName: string;
  template: Template;
  /** The folder of an asset by the S3 key that the template uses for it. Throws for an unknown or packed asset. */
  assetDirectory(objectKey: string): string;
}

interface Manifest {
  artifacts?: Record<
    string,
    {
      type: string;
      properties?: { templateFile?: string; stackName?: string; file?: string; directoryName?: string };
      dependencies?: string[];
    }
  >;
}

interface AssetManifest {
  files?: Record<
    string,
    { source: { path?: string; packaging?: string }; destinations: Record<string, { objectKey: string }> }
  >;
}

/**
 * Reads the assembly in `directory` (the output of `cdk synth`, usually `cdk.out`). Throws if there is none, or if it holds
 * several stacks and `wanted` names none of them.
 */
export function readAssembly(directory: string, wanted: string | undefined): Assembly {
  const root = resolve(directory);
  const manifest = readJson<Manifest>(
    join(root, 'manifest.json'),
    `no cloud assembly in ${root}: synthesize first`,
  );
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const stacks = artifacts.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const chosen =
    wanted === undefined
      ? stacks
      : stacks.filter(([id, it]) => id === wanted || it.properties?.stackName === wanted);
  const [entry] = chosen;
  if (!entry || chosen.length > 1) {
    const names = stacks.map(([id]) => id).join(', ') || 'none';
    throw new Error(
      `${root} must hold exactly one stack${wanted === undefined ? '' : ` called ${wanted}`}; it has: ${names}`,
    );
  }
  const [id, artifact] = entry;
  const templateFile = join(root, artifact.properties?.templateFile ?? `${id}.template.json`);
  const assetFiles = artifacts
    .filter(([name, it]) => it.type === 'cdk:asset-manifest' && (artifact.dependencies ?? []).includes(name))
    .map(([name, it]) => join(root, it.properties?.file ?? `${name}.json`));
  return {
    stackName: artifact.properties?.stackName ?? id,
    template: readJson<Template>(templateFile, `the template ${templateFile} is missing`),
    assetDirectory: assetLookup(root, assetFiles),
  };
}

/** Every stack of an assembly, including those of its stages, with the folder of its assembly. */
export function stacksIn(directory: string): { assembly: string; id: string; template: Template }[] {
  const root = resolve(directory);
  const { artifacts = {} } = readJson<Manifest>(
    join(root, 'manifest.json'),
    `no cloud assembly in ${root}: synthesize first`,
  );
  return Object.entries(artifacts).flatMap(([id, { type, properties }]) => {
    if (type === 'cdk:cloud-assembly' && properties?.directoryName)
      return stacksIn(join(root, properties.directoryName));
    if (type !== 'aws:cloudformation:stack') return [];
    const file = join(root, properties?.templateFile ?? `${id}.template.json`);
    return [{ assembly: root, id, template: readJson<Template>(file, `the template ${file} is missing`) }];
  });
}

function assetLookup(root: string, manifests: string[]): (objectKey: string) => string {
  const files = manifests.flatMap((file) =>
    Object.values(readJson<AssetManifest>(file, `the asset manifest ${file} is missing`).files ?? {}),
  );
  return (objectKey) => {
    const found = files.find((file) =>
      Object.values(file.destinations).some((to) => to.objectKey === objectKey),
    );
    if (found?.source.path === undefined) throw new Error(`the assembly has no asset ${objectKey}`);
    if (found.source.packaging !== 'zip')
      throw new Error(`asset ${objectKey} is a packed file; only folders run here`);
    return resolve(root, found.source.path);
  };
}

function readJson<T>(file: string, missing: string): T {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(missing, { cause: error });
  }
  return JSON.parse(text) as T;
}
