import { own } from '../../plain/merge.ts';
import { type Program, plainArgs } from './programs.ts';
import { setOf } from './starters.ts';

/** Programs that do nothing but verify: tests, types, style, and compilers. */
const VERIFIERS = setOf(`
  pytest py.test tox nox nosetests nose2 unittest doctest behave robot vitest jest mocha ava tap jasmine karma tsc vue-tsc
  svelte-check tsd mypy pyright basedpyright pyre pylint flake8 eslint oxlint stylelint standard xo jshint tslint rubocop
  rspec phpunit pest phpstan psalm phpcs golangci-lint staticcheck shellcheck hadolint yamllint markdownlint
  markdownlint-cli2 actionlint tflint ansible-lint ctest bats busted luacheck clj-kondo credo dialyzer checkstyle ktlint
  detekt swiftlint cppcheck clang-tidy valgrind py_compile compileall javac kotlinc scalac rustc gcc g++ cc c++ clang
  clang++ ghc prove elm-test msbuild publint knip depcruise codespell vulture bandit`);

/** Names of targets, scripts and first words that verify. */
const VERIFYING = setOf(`
  test tests testing spec specs e2e check checks lint linting verify validate validation typecheck types build compile ci
  analyze analyse vet`);

/** Programs that verify if their first word does, or is one of these. */
const BY_FIRST_WORD: Readonly<Record<string, ReadonlySet<string>>> = {
  cargo: setOf('t c b clippy nextest miri'),
  go: setOf(''),
  dotnet: setOf(''),
  swift: setOf(''),
  flutter: setOf(''),
  dart: setOf(''),
  mix: setOf('credo dialyzer'),
  rails: setOf(''),
  rebar3: setOf('eunit ct dialyzer'),
  stack: setOf(''),
  cabal: setOf(''),
  dune: setOf('runtest'),
  bazel: setOf(''),
  bazelisk: setOf(''),
  buck2: setOf(''),
  zig: setOf(''),
  deno: setOf(''),
  gleam: setOf(''),
  terraform: setOf('plan'),
  tofu: setOf('plan'),
  helm: setOf(''),
  forge: setOf(''),
  hardhat: setOf(''),
  meson: setOf(''),
  docker: setOf(''),
  'docker-compose': setOf(''),
  ng: setOf(''),
  next: setOf(''),
  vite: setOf(''),
  astro: setOf(''),
  biome: setOf(''),
  ruff: setOf(''),
  playwright: setOf(''),
  cypress: setOf('run'),
  'pre-commit': setOf('run'),
  'react-scripts': setOf(''),
  webpack: setOf(''),
  sam: setOf(''),
  cdk: setOf('synth'),
};

/** Programs that are given targets: any of them may verify. */
const BY_TARGET = setOf(
  'make just task rake ninja mvn gradle ant sbt lein xcodebuild nx turbo lerna invoke inv gulp grunt poe composer meson bazel',
);
/** Programs that build if they are given no target. */
const BUILDS_BY_ITSELF = setOf('make ninja rake');

/** Programs that verify with an option. */
const BY_OPTION: Readonly<Record<string, RegExp>> = {
  prettier: /^(?:--check|-c|--list-different|-l)$/,
  black: /^--check$/,
  isort: /^(?:--check|--check-only|-c)$/,
  ruff: /^--check$/,
  rustfmt: /^--check$/,
  gofmt: /^-[ld]$/,
  cargo: /^--check$/,
  deno: /^--check$/,
  terraform: /^-check$/,
  node: /^(?:--test|--check|-c)$/,
  tsx: /^--test$/,
  php: /^(?:-l|--syntax-check)$/,
  ruby: /^-c$/,
  perl: /^-c$/,
  bash: /^-n$/,
  sh: /^-n$/,
  zsh: /^-n$/,
  cmake: /^--build$/,
};

/** With one of these a program only describes itself, or what it would do. */
const ONLY_SAYS =
  /^(?:--help|--version|-V|--collect-only|--co|--list(?:-?tests?|-different-files)?|--dry-run|--just-print|--show-?config|--print-config|--init)$/i;
const ONLY_SAYS_OF: Readonly<Record<string, RegExp>> = { tsc: /^-[vh]$/, make: /^-[nq]$/, pytest: /^-h$/ };

const INTERPRETERS = setOf(
  'python node ruby php perl bash sh zsh deno bun tsx ts-node Rscript julia lua swift',
);
const PACKAGE_MANAGERS = setOf('npm pnpm yarn bun');
const RUNS_SCRIPT = setOf('run run-script rum task');
const TESTS = setOf('test t tst');

/** Whether a program of a script runs a verification: tests, a type check, a linter, a build. */
export function verifies(program: Program): boolean {
  const { name, path, args } = program;
  if (args.some((word) => ONLY_SAYS.test(word) || own(ONLY_SAYS_OF, name)?.test(word))) return false;
  if (VERIFIERS.has(name) || args.some((word) => own(BY_OPTION, name)?.test(word))) return true;
  const plain = plainArgs(program);
  const [first = ''] = plain;
  if (PACKAGE_MANAGERS.has(name)) return runsVerification(program, plain);
  if (name === 'deno' && first === 'task') return namesVerification(plain[1] ?? '');
  if (name === 'mvn' && plain.some((goal) => goal === 'package' || goal === 'install')) return true;
  if (BY_TARGET.has(name))
    return (BUILDS_BY_ITSELF.has(name) && plain.length === 0) || plain.some(namesVerification);
  const words = own(BY_FIRST_WORD, name);
  if (words) return VERIFYING.has(first) || words.has(first);
  if (INTERPRETERS.has(name)) return interprets(program, plain);
  return isOwnScript(path) ? isVerifyingScript(path, plain) : false;
}

/** `npm test`, `npm run lint`; other managers also run scripts and programs by their name alone: `yarn lint`, `pnpm tsc`. */
function runsVerification({ name, words, ...rest }: Program, plain: readonly string[]): boolean {
  const [first = '', second = ''] = plain;
  if (TESTS.has(first)) return true;
  if (RUNS_SCRIPT.has(first)) return namesVerification(second);
  if (name === 'npm' || first === '') return false;
  const args = plain.slice(1);
  return namesVerification(first) || verifies({ ...rest, words, name: first, path: first, args });
}

function interprets({ name, args, ...rest }: Program, plain: readonly string[]): boolean {
  const module = args.indexOf('-m');
  if (name === 'python' && module >= 0) {
    const [inner = '', ...given] = args.slice(module + 1);
    return inner === 'build' || verifies({ ...rest, name: inner, path: inner, args: given });
  }
  // Code that is given as text may do anything; that of a shell is read as a script.
  if (!/sh$/.test(name) && args.some((word) => /^-(?:[a-z]*[ce]|-eval|p)$/.test(word))) return false;
  const [script = '', ...given] = plain[0] === 'run' ? plain.slice(1) : plain;
  return isVerifyingScript(script, given);
}

const isOwnScript = (path: string): boolean =>
  (path.includes('/') || /\.(?:sh|py|js|mjs|ts|rb|pl|php)$/.test(path)) &&
  !/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(path);

/** `./run-tests.sh`, `scripts/ci`, `tests/parser.py`; `manage.py test`. */
function isVerifyingScript(path: string, given: readonly string[]): boolean {
  const [base = '', ...folders] = path.split('/').reverse();
  if (/^(?:manage|setup|build)\.py$|^(?:artisan|console|rails|rake|gradlew|mvnw)$/.test(base))
    return VERIFYING.has(given[0] ?? '');
  return (
    namesVerification(base.replace(/\.\w+$/, '')) ||
    folders.some((folder) => /^(?:__tests__|tests?|specs?)$/.test(folder))
  );
}

/** Whether a name contains the word of a verification: `test:unit`, `type-check`, `runTests`. */
export const namesVerification = (name: string): boolean =>
  tokensOf(name).some((token) => VERIFYING.has(token));

/** The words of a target's or script's name. */
export const tokensOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
