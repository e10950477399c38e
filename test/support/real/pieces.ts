import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where pieces are kept between runs. git ignores it. */
const CACHE = resolve('node_modules/.cache/steploop-real');

/** A program that is fetched for the proof. */
interface Piece {
  /** Its name for people. */
  readonly what: string;
  readonly version: string;
  /** Commands that must be on the machine to get it, and what brings each. */
  readonly needs: Readonly<Record<string, string>>;
  /** Fetches it into the folder, in which it is run. */
  fetch(folder: string): Promise<void>;
  /** The file that is run, in the folder. */
  readonly file: string;
}

/** The path of a piece, or why it is missing and what to install. */
export type Found = { readonly path: string } | { readonly missing: string };

/** The longest time in ms for fetching and building one piece. */
const LIMIT_MS = 10 * 60_000;
const options = { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };

/** A Go program, by the checksum of its module in go.sum (https://go.dev/ref/mod#go-sum-files). */
const fromGo = (module: string, command: string, version: string, sum: string): Omit<Piece, 'what'> => ({
  version,
  needs: { go: 'Go 1.26 (https://go.dev/dl)' },
  file: command.slice(command.lastIndexOf('/') + 1),
  async fetch(folder) {
    await run('go', ['install', `${command}@${version}`], {
      ...options,
      env: { ...process.env, GOBIN: folder },
    });
    const built = join(folder, command.slice(command.lastIndexOf('/') + 1));
    const { stdout } = await run('go', ['version', '-m', built]);
    if (!stdout.includes(`${module}\t${version}\t${sum}`))
      throw new Error(`${module} ${version} does not have the checksum ${sum}`);
  },
});

/** A package of npm, by the integrity that its lockfile would have. */
const fromNpm = (
  name: string,
  version: string,
  integrity: string,
  file: string,
  needs: Piece['needs'] = {},
): Omit<Piece, 'what'> => ({
  version,
  needs,
  file: join('node_modules', name, file),
  async fetch(folder) {
    const manifest = { private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await run('npm', ['install', '--no-audit', '--no-fund', '--package-lock-only'], {
      ...options,
      cwd: folder,
    });
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    const found = lock.packages[`node_modules/${name}`]?.integrity;
    if (found !== integrity)
      throw new Error(`${name}@${version} has the integrity ${found}, not ${integrity}`);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { ...options, cwd: folder });
  },
});

/** Packages of PyPI: the named ones by hash, what they depend on by version (`requirements.txt`). */
const fromPyPi = (packages: Readonly<Record<string, string>>, file: string): Omit<Piece, 'what'> => ({
  version: Object.keys(packages).join(' '),
  needs: { python3: 'Python 3.11 with venv (apt-get install python3-venv)' },
  file: join('bin', file),
  async fetch(folder) {
    await run('python3', ['-m', 'venv', folder], options);
    const pinned = Object.entries(packages).map(([name, sha256]) => `${name} --hash=sha256:${sha256}\n`);
    await writeFile(join(folder, 'pinned.txt'), pinned.join(''));
    const pip = (...args: string[]) => run(join(folder, 'bin', 'pip'), ['install', '-q', ...args], options);
    await pip('--no-deps', '--require-hashes', '-r', join(folder, 'pinned.txt'));
    await pip('-r', resolve('test/real/requirements.txt'));
  },
});

const pypi = {
  'moto==5.2.5': 'eef62cdcf3bfe73e0863743511ba042dfaba04ba3d5ecdcb896a196c693ad528',
  'cfn-lint==1.58.0': '9d9f06043160756a6158f5c3f92a44ce38254b1c578127461608305bc8262987',
};

export const pieces = {
  emulator: {
    what: 'the Lambda Runtime Interface Emulator',
    ...fromGo(
      'github.com/aws/aws-lambda-runtime-interface-emulator',
      'github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie',
      'v0.0.0-20261030222936-bef5c4ba774d',
      'h1:E8QcgpwFecNMTAHHnt11/CS9JLe5QqT/DI/WRg0cvMA=',
    ),
  },
  client: {
    what: 'Lambda’s runtime interface client for Node.js',
    ...fromNpm(
      'aws-lambda-ric',
      '4.0.2',
      'sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==',
      'index.mjs',
      {
        'g++': 'a C++ compiler (apt-get install g++ make)',
        cmake: 'cmake (apt-get install cmake)',
        autoconf: 'autoconf (apt-get install autoconf)',
        libtoolize: 'libtool (apt-get install libtool)',
        python3: 'Python 3 for node-gyp (apt-get install python3)',
      },
    ),
  },
  dynoxide: {
    what: 'DynamoDB on SQLite (dynoxide)',
    ...fromNpm(
      '@dynoxide/linux-x64',
      '1.2.1',
      'sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==',
      'dynoxide',
    ),
  },
  moto: { what: 'moto', ...fromPyPi(pypi, 'moto_server') },
  lint: { what: 'cfn-lint', ...fromPyPi(pypi, 'cfn-lint') },
  s3: {
    what: 'S3 with verified signatures (versitygw)',
    ...fromGo(
      'github.com/versity/versitygw',
      'github.com/versity/versitygw/cmd/versitygw',
      'v1.8.0',
      'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
    ),
  },
} satisfies Record<string, Piece>;
export type PieceName = keyof typeof pieces;

/** Finds a piece in the cache, or fetches it. Never rejects. */
export async function find(name: PieceName): Promise<Found> {
  const piece: Piece = pieces[name];
  const folder = join(
    CACHE,
    // Programs of one Python environment share its folder.
    piece.version.includes(' ')
      ? `pypi-${hashOf(piece.version)}`
      : `${name}-${hashOf(`${piece.what} ${piece.version}`)}`,
  );
  const path = join(folder, piece.file);
  if (existsSync(join(folder, 'complete'))) return { path };
  const lacking = await Promise.all(
    Object.entries(piece.needs).map(async ([command, how]) => ((await isThere(command)) ? [] : [how])),
  );
  if (lacking.flat().length > 0)
    return { missing: `${piece.what} is skipped: install ${lacking.flat().join(' and ')}` };
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await piece.fetch(folder);
    await writeFile(join(folder, 'complete'), '');
    return { path };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    const why = (stderr?.trim() || message).split('\n').slice(-1)[0];
    return { missing: `${piece.what} is skipped: ${piece.version} could not be fetched (${why})` };
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

const isThere = (command: string): Promise<boolean> =>
  run('sh', ['-c', `command -v ${command}`]).then(
    () => true,
    () => false,
  );
