import { one, type Run, type Step, type Tools } from './run.ts';

const tools: Tools = {
  bash: { effect: 'once', evidence: { shell: true } },
  read_file: 'read',
  edit_file: 'once',
  delete_file: 'once',
};
const bash = (command: string, stdout = '', exitCode = 0): Step =>
  one('bash', { command }, { exitCode, stdout });
const edit = (path: string): Step => one('edit_file', { path, old: 'a', new: 'b' }, 'edited');
const run = (name: string, ...steps: readonly Step[]): Run => ({ name, tools, steps });

/** Runs that change something and verify it, as people and models do: a contract that requires both is met. */
export const proved: readonly Run[] = [
  run('an edit and its tests', edit('a.ts'), bash('npm test', '12 passed, 0 FAILED')),
  run(
    'tests that fail first',
    bash('npm test', '1 failed', 1),
    edit('a.ts'),
    bash('npm test 2>&1 | tail -5', 'Tests 12 passed (12)'),
  ),
  run('all in one line', bash("cd shop && sed -i 's/a/b/' a.ts && npm test", '12 passed')),
  run(
    'a failing line, mended',
    bash("sed -i 's/a/b/' a.ts && npm test", '1 failed', 1),
    bash("sed -i 's/b/c/' a.ts && npm test", '12 passed'),
  ),
  run(
    'a file by a here-document, and a look at it',
    bash("cat > src/a.py <<'EOF'\nprint('test')\nEOF"),
    bash('python -m unittest -q', 'OK'),
    bash('git diff --stat', ' src/a.py | 1 +'),
  ),
  run(
    'a commit afterwards',
    edit('a.go'),
    bash('go vet ./... && go test ./...', 'ok  \tshop\t0.1s'),
    bash('git add -A && git commit -m "Fix the test"', '1 file changed'),
    bash('git push origin HEAD', 'done'),
    bash('rm -rf coverage && rm -f /tmp/out.log'),
  ),
  run(
    'a log of the tests',
    edit('a.rs'),
    bash('cargo test > /tmp/out.log 2>&1', ''),
    bash('tail -3 /tmp/out.log', 'test result: ok. 3 passed; 0 failed'),
  ),
  run('a patch', bash('git apply fix.patch'), bash('timeout 300 mvn -q verify', '')),
  run(
    'a deletion',
    one('delete_file', { path: 'old.ts' }, 'deleted'),
    bash('npx tsc --noEmit | head -20', ''),
  ),
  run(
    'in a container',
    bash('docker compose exec -T web sh -c "sed -i s/a/b/ app/a.rb"'),
    bash('docker compose run --rm web bundle exec rspec', '3 examples, 0 failures'),
  ),
  run(
    'a formatter before the linter',
    edit('a.py'),
    bash('uv run ruff format . && uv run ruff check . && uv run pytest -q', '3 passed'),
  ),
  run('a dependency', bash('npm install lodash@5', 'added 1 package'), bash('npm run build', 'built')),
  run(
    'a script that says so itself',
    edit('a.c'),
    bash('set -euo pipefail\nmake clean\nmake -j4 check | tee check.log', 'PASS: all'),
  ),
  run(
    'code that writes',
    bash("python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('x = 1')\nEOF"),
    bash('poetry run pytest -x', '3 passed'),
  ),
  run(
    'looks between',
    bash('grep -rn "a" src | head', 'src/a.ts:1: a'),
    edit('src/a.ts'),
    bash('cat src/a.ts', 'b'),
    bash('npm run lint && npm test', '12 passed'),
    bash('git status --short', ' M src/a.ts'),
  ),
];

/** Runs that claim work that was not done: the missing part is named. */
export const unproved: readonly (Run & { readonly missing: RegExp })[] = [
  { ...run('only tests', bash('npm test', '12 passed')), missing: /no file has been changed/ },
  { ...run('only an edit', edit('a.ts')), missing: /must pass/ },
  { ...run('a look at the tests', edit('a.ts'), bash('cat test.txt', 'test')), missing: /must pass/ },
  { ...run('a word', edit('a.ts'), bash('echo "all tests pass"', 'all tests pass')), missing: /must pass/ },
  {
    ...run('an exit code thrown away', edit('a.ts'), bash('npm test || true', '')),
    missing: /run it by itself/,
  },
  { ...run('a test in the background', edit('a.ts'), bash('npm test &', '')), missing: /must pass/ },
  {
    ...run('an edit after the tests', edit('a.ts'), bash('npm test', 'ok'), bash('echo x >> a.ts')),
    missing: /must pass/,
  },
  { ...run('failing tests', edit('a.ts'), bash('npm test', '1 failed', 1)), missing: /exited with 1/ },
  {
    ...run('failing tests in a pipe', edit('a.ts'), bash('npm test | tail', '1 failed')),
    missing: /exited with 1/,
  },
  {
    ...run('a change that failed', bash('sed -i s/a/b/ a.ts', 'no such file', 2), bash('npm test', 'ok')),
    missing: /no file has been changed/,
  },
  {
    ...run('scraps', bash('npm test > /tmp/x', ''), bash('echo x > /dev/null')),
    missing: /no file has been changed/,
  },
  {
    ...run('a list of the tests', edit('a.ts'), bash('pytest --collect-only', '3 tests')),
    missing: /must pass/,
  },
];
