/**
 * The commonly used parts of `node:test` and `node:assert/strict`, as modules for js-exec, which has neither: tests,
 * subtests, suites, hooks, `skip`, `todo` and `only`; no mocks, no timers.
 */
export const NODE_TEST = `
const suiteOf = (name, parent) => ({ name, parent, entries: [], before: [], after: [], beforeEach: [], afterEach: [] });
const all = (globalThis.__tests ??= {
  root: suiteOf('', undefined), current: undefined, passed: 0, failed: 0, skipped: 0, todo: 0, only: false,
});
all.current ??= all.root;
const parted = (args) => ({
  name: args.find((one) => typeof one === 'string') ?? args.find((one) => typeof one === 'function')?.name ?? '<anonymous>',
  options: args.find((one) => typeof one === 'object' && one !== null) ?? {},
  run: args.find((one) => typeof one === 'function') ?? (() => {}),
});
const adding = (more) => (...args) => {
  const { name, options, run } = parted(args);
  const entry = { name, run, ...options, ...more };
  if (entry.only) all.only = true;
  all.current.entries.push(entry);
};
const grouping = (more) => (...args) => {
  const { name, options, run } = parted(args);
  const parent = all.current;
  const suite = Object.assign(suiteOf(name, parent), options, more);
  parent.entries.push({ suite });
  if (suite.only) all.only = true;
  all.current = suite;
  try { run(); } finally { all.current = parent; }
};
const variants = (make) => Object.assign(make({}), {
  skip: make({ skip: true }), todo: make({ todo: true }), only: make({ only: true }),
});
export const test = variants(adding);
export const it = test;
export const describe = variants(grouping);
export const suite = describe;
test.test = test; test.it = it; test.describe = describe; test.suite = suite;
const hook = (kind) => (run) => { all.current[kind].push(run); };
export const before = hook('before'), after = hook('after'), beforeEach = hook('beforeEach'), afterEach = hook('afterEach');
export default test;
const OURS = /<compat>|\\((?:assert\\/strict|test):\\d/;
const told = (error) => {
  if (!(error instanceof Error)) return String(error);
  const stack = String(error.stack ?? '').split('\\n').filter((line) => line.trim() && !OURS.test(line)).slice(0, 5);
  return [error.name + ': ' + error.message, ...stack].join('\\n');
};
const indented = (text, depth) => text.split('\\n').map((line) => '  '.repeat(depth) + line).join('\\n');
const chain = (suite, kind) => suite ? [...chain(suite.parent, kind), ...suite[kind]] : [];
async function runTest(entry, suite, depth) {
  if (entry.skip || (all.only && !entry.only && !suite.only)) { all.skipped += 1; return console.log(indented('- ' + entry.name + ' # skipped', depth)); }
  let failure, subtests = 0, failedInside = 0, skipped = false;
  const context = {
    name: entry.name, signal: undefined,
    diagnostic: (text) => console.log(indented('# ' + text, depth + 1)),
    skip: () => { skipped = true; }, todo: () => {},
    test: async (...args) => {
      const { name, options, run } = parted(args);
      subtests += 1;
      const failed = all.failed;
      await runTest({ name, run, ...options, only: true }, suite, depth + 1);
      failedInside += all.failed - failed;
    },
  };
  try {
    for (const run of chain(suite, 'beforeEach')) await run(context);
    await entry.run(context);
  } catch (error) { failure = { error }; }
  try { for (const run of chain(suite, 'afterEach').reverse()) await run(context); } catch (error) { failure ??= { error }; }
  if (!failure && failedInside > 0) failure = { error: failedInside + ' of ' + subtests + ' subtests failed' };
  if (skipped && !failure) { all.skipped += 1; return console.log(indented('- ' + entry.name + ' # skipped', depth)); }
  if (failure && entry.todo) { all.todo += 1; return console.log(indented('- ' + entry.name + ' # todo', depth)); }
  if (failure) { all.failed += 1; console.log(indented('✖ ' + entry.name + '\\n' + indented(told(failure.error), 1), depth)); }
  else { all.passed += 1; console.log(indented('✔ ' + entry.name, depth)); }
}
async function runSuite(suite, depth) {
  for (const run of suite.before) await run({ name: suite.name });
  for (const entry of suite.entries) {
    if (!entry.suite) { await runTest(entry, suite, depth); continue; }
    console.log(indented('▶ ' + entry.suite.name, depth));
    if (entry.suite.skip) { all.skipped += 1; continue; }
    if (suite.only) entry.suite.only = true;
    try { await runSuite(entry.suite, depth + 1); }
    catch (error) { all.failed += 1; console.log(indented('✖ ' + entry.suite.name + '\\n' + indented(told(error), 1), depth + 1)); }
  }
  for (const run of suite.after) await run({ name: suite.name });
}
export async function finish() {
  try { await runSuite(all.root, 0); } catch (error) { all.failed += 1; console.log('✖ ' + told(error)); }
  const { passed, failed, skipped, todo } = all;
  console.log('# tests ' + (passed + failed + skipped + todo) + ', pass ' + passed + ', fail ' + failed + (skipped ? ', skipped ' + skipped : '') + (todo ? ', todo ' + todo : ''));
  if (failed > 0) process.exit(1);
}
`;

/** `node:assert/strict`, built on js-exec's `node:assert`, with messages that say what was expected. */
export const NODE_ASSERT_STRICT = `
  import loose from 'assert';
const shown = (value) => {
  if (typeof value === 'string') return JSON.stringify(value);
  try { return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value); } catch { return String(value); }
};
export class AssertionError extends Error {
  constructor({ message, actual, expected, operator } = {}) {
    super(message ?? 'expected ' + shown(expected) + ', got ' + shown(actual));
    Object.assign(this, { name: 'AssertionError', code: 'ERR_ASSERTION', actual, expected, operator });
  }
}
const check = (fine, operator, actual, expected, message) => {
  if (fine) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, actual, expected, operator });
};
const holds = (run) => { try { run(); return true; } catch { return false; } };
export const ok = (value, message) => check(value, 'ok', value, true, message);
export const equal = (actual, expected, message) => check(Object.is(actual, expected), 'strictEqual', actual, expected, message);
export const notEqual = (actual, expected, message) => check(!Object.is(actual, expected), 'notStrictEqual', actual, expected, message ?? 'expected something else than ' + shown(actual));
const deep = (a, b) => holds(() => loose.deepStrictEqual ? loose.deepStrictEqual(a, b) : loose.deepEqual(a, b));
export const deepEqual = (actual, expected, message) => check(deep(actual, expected), 'deepStrictEqual', actual, expected, message);
export const notDeepEqual = (actual, expected, message) => check(!deep(actual, expected), 'notDeepStrictEqual', actual, expected, message ?? 'expected something else than ' + shown(actual));
export const strictEqual = equal, notStrictEqual = notEqual, deepStrictEqual = deepEqual, notDeepStrictEqual = notDeepEqual;
export const fail = (message = 'Failed') => { throw message instanceof Error ? message : new AssertionError({ message }); };
export const match = (text, pattern, message) => check(pattern.test(text), 'match', text, pattern, message ?? shown(text) + ' does not match ' + pattern);
export const doesNotMatch = (text, pattern, message) => check(!pattern.test(text), 'doesNotMatch', text, pattern, message ?? shown(text) + ' matches ' + pattern);
const fits = (error, wanted) => {
  if (wanted === undefined) return true;
  if (wanted instanceof RegExp) return wanted.test(String(error));
  if (typeof wanted === 'function') return wanted.prototype !== undefined && error instanceof wanted ? true : !(wanted.prototype instanceof Error || wanted === Error) && wanted(error) === true;
  return Object.entries(wanted).every(([key, value]) => value instanceof RegExp ? value.test(String(error[key])) : deep(error[key], value));
};
const threw = (thrown, wanted, message) => {
  if (!thrown) throw new AssertionError({ message: message ?? 'expected an exception', operator: 'throws' });
  if (!fits(thrown.error, wanted)) throw new AssertionError({ message: message ?? 'expected another exception, got ' + thrown.error, actual: thrown.error, expected: wanted, operator: 'throws' });
};
export const throws = (run, wanted, message) => {
  let thrown;
  try { run(); } catch (error) { thrown = { error }; }
  threw(thrown, typeof wanted === 'string' ? undefined : wanted, typeof wanted === 'string' ? wanted : message);
};
export const rejects = async (run, wanted, message) => {
  let thrown;
  try { await (typeof run === 'function' ? run() : run); } catch (error) { thrown = { error }; }
  threw(thrown, typeof wanted === 'string' ? undefined : wanted, typeof wanted === 'string' ? wanted : message);
};
export const doesNotThrow = (run, message) => { try { run(); } catch (error) { throw new AssertionError({ message: message ?? 'threw ' + error, actual: error }); } };
export const doesNotReject = async (run, message) => { try { await (typeof run === 'function' ? run() : run); } catch (error) { throw new AssertionError({ message: message ?? 'rejected: ' + error, actual: error }); } };
export const ifError = (value) => { if (value !== null && value !== undefined) throw value; };
const assert = Object.assign((value, message) => ok(value, message), {
  ok, equal, notEqual, deepEqual, notDeepEqual, strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual,
  fail, match, doesNotMatch, throws, rejects, doesNotThrow, doesNotReject, ifError, AssertionError,
});
assert.strict = assert;
export const strict = assert;
export default assert;
`;
