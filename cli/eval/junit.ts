/** A run as JUnit XML, which CI systems read. Pure. */

import type { CaseResult } from '../../testing/evals/result.ts';
import { type Report, whyOf } from './report.ts';

/**
 * A suite for each eval. A regression from the baseline is a failure. A case that fails as it did before is skipped with a
 * message, since it does not fail the run; so is a case that was not played.
 */
export function junitOf({ run, regressions, ms }: Report): string {
  const worse = new Map(regressions.map(({ id, why }) => [id, why]));
  const cases = [
    ...run.cases.map((result) => ({
      suite: result.eval,
      ms: result.ms,
      outcome: outcomeOf(result, worse.get(result.id)),
      xml: caseOf(result, worse.get(result.id)),
    })),
    ...run.unplayed.map((one) => {
      const said = element('skipped', { message: 'It was not played to the end.' });
      return { suite: one.eval, ms: 0, outcome: 'skipped', xml: testcase(one.case, one.eval, 0, said) };
    }),
  ];
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((name) => {
    const own = cases.filter(({ suite }) => suite === name);
    const time = own.reduce((sum, one) => sum + one.ms, 0);
    return element(
      'testsuite',
      { name, ...counts(own), time: secondsOf(time) },
      own.map(({ xml }) => xml),
    );
  });
  const all = element('testsuites', { name: 'steploop eval', ...counts(cases), time: secondsOf(ms) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${all}\n`;
}

const outcomeOf = ({ passed }: CaseResult, worse: string | undefined): string =>
  worse !== undefined ? 'failure' : passed ? 'passed' : 'skipped';

function caseOf(result: CaseResult, worse: string | undefined): string {
  const why = whyOf(result);
  const said =
    worse !== undefined
      ? element('failure', { message: worse }, [text(why)])
      : result.passed
        ? ''
        : element('skipped', { message: `It fails as it does in the baseline. ${why}` });
  return testcase(result.case, result.eval, result.ms, said);
}

const testcase = (name: string, classname: string, ms: number, said: string): string =>
  element('testcase', { name, classname, time: secondsOf(ms) }, said === '' ? [] : [said]);

const counts = (cases: readonly { readonly outcome: string }[]) => ({
  tests: String(cases.length),
  failures: String(cases.filter(({ outcome }) => outcome === 'failure').length),
  errors: '0',
  skipped: String(cases.filter(({ outcome }) => outcome === 'skipped').length),
});

const secondsOf = (ms: number): string => (ms / 1_000).toFixed(3);

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${text(value).replaceAll('\n', '&#10;')}"`,
  );
  const head = `<${name}${written.join('')}`;
  return children.length === 0 ? `${head}/>` : `${head}>${children.join('\n')}</${name}>`;
}

/** Escapes a text or an attribute, and drops the characters that XML 1.0 cannot represent. */
const text = (value: string): string =>
  value
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
