import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { calls, type Scripted, says } from '../../../testing/scripted-model.ts';
import { endings, tool } from './reading.fixture.ts';
import { type Definition, drive, sameWhenKilled } from './rows.fixture.ts';

const get = tool('get');
const edit = tool('edit_file', () => 'edited', { effect: 'once' });
const test1 = (exitCode: number) =>
  tool('run_tests', () => ({ exitCode, stdout: 'ran' }), {
    evidence: { verifies: true },
    effect: 'idempotent',
  });
const broken = tool('deploy', () => {
  throw new Error('permission denied');
});
const completed = { state: 'completed', reason: 'completed' };
const plans = (n: number) => says(`Let me look at part ${n}.`);

describe('H3: planning prose', () => {
  test('H3: four texts are three nudges, and the fourth is accepted', async () => {
    const { end, told } = await drive({ guardrails: 'hamr' }, [plans(1), plans(2), plans(3), plans(4)]);
    expect(told).toEqual(['planning_prose', 'planning_prose', 'planning_prose']);
    expect(end).toEqual({ ...completed, steps: 4 });
  });

  test('H3: any tool call restarts the count', async () => {
    const script = [plans(1), plans(2), plans(3), calls(['get', {}]), plans(4), plans(5), plans(6), plans(7)];
    const { end, told } = await drive({ guardrails: 'hamr', tools: [get] }, script);
    expect(told).toHaveLength(6);
    expect(end).toMatchObject({ ...completed, steps: 8 });
  });

  test('H3: deaths in the middle change no counter', async () => {
    await sameWhenKilled(() => ({
      definition: { guardrails: 'hamr', tools: [get] },
      script: [plans(1), calls(['get', {}]), plans(2), plans(3), says('It is 7.')],
    }));
  });
});

describe('T29: incomplete action', () => {
  test('T29: two retries, then the run ends as incomplete_action', async () => {
    const { end, told, events } = await drive({ guardrails: 'attocode' }, [plans(1), plans(2), plans(3)]);
    expect(told.filter((reason) => reason === 'planning_prose')).toHaveLength(2);
    expect(end).toEqual({ state: 'error', reason: 'incomplete_action', steps: 3 });
    expect(endings(events)[0]).toMatchObject({ guard: 'intent', code: 'incomplete_action', success: false });
  });

  test('U4: by default two are sent back, and then the answer stands', async () => {
    const { end, told, slots } = await drive({ tools: [get] }, [plans(1), plans(2), plans(3)]);
    expect(told.filter((reason) => reason === 'planning_prose')).toHaveLength(2);
    expect(end).toEqual({ ...completed, steps: 3 });
    expect(slots.at(-1)?.verdicts).toContainEqual(
      expect.objectContaining({ kind: 'flag', code: 'intent_accepted' }),
    );
  });

  test('U4: a text that waits for the user is sent back with advice to wait', async () => {
    const { internals } = await drive({ tools: [get] }, [plans(1), says('It is 7.')]);
    expect(internals[0]?.text).toContain('do not act without it');
  });

  test.each([
    { what: 'a question', text: "I'll change the port. Which one do you want?" },
    { what: 'an offer of help', text: 'The port is 80. Let me know if you need more.' },
    { what: 'a claim of completion', text: "I've fixed the port. Next, I will be happy to explain." },
    { what: 'a plain answer', text: 'The port is 80.' },
  ])('T29: $what is no announcement', async ({ text }) => {
    const { end, told } = await drive({ guardrails: 'attocode' }, [says(text)]);
    expect(told).toEqual([]);
    expect(end).toMatchObject(completed);
  });

  test('T29: a text that explains a failing tool is none either; without the failure it is', async () => {
    const text = 'The call failed: permission denied. I will try it with the other token.';
    const failing = await drive({ guardrails: 'attocode', tools: [broken] }, [
      calls(['deploy', {}]),
      says(text),
    ]);
    expect(failing.told).toEqual([]);
    const fine = await drive({ guardrails: 'attocode' }, [says(text), says('It is 80.')]);
    expect(fine.told).toEqual(['planning_prose']);
  });

  test('T29: a requested file that was not written', async () => {
    const write = tool('write_file', () => 'written', { effect: 'once' });
    const script = [
      says('The plan has three parts.'),
      calls(['write_file', { path: '/work/docs/plan.md', text: '…' }]),
      says('The plan has three parts, and is written down.'),
    ];
    const { end, told, internals } = await drive(
      { guardrails: 'attocode', tools: [write] },
      script,
      'Please write a short docs/plan.md for the move.',
    );
    expect(told).toEqual(['artifact_missing']);
    expect(internals[0]?.text).toContain('docs/plan.md');
    expect(end).toMatchObject(completed);
  });

  test.each<{ what: string; definition: Definition; text: string }>([
    { what: 'without a tool that writes', definition: { tools: [get] }, text: 'Write plan.md.' },
    { what: 'that is only read', definition: { tools: [edit] }, text: 'Sum up plan.md.' },
  ])('T29: a file $what is not waited for', async ({ definition, text }) => {
    const { told } = await drive(
      { ...definition, guardrails: 'attocode' },
      [says('It has three parts.')],
      text,
    );
    expect(told).toEqual([]);
  });

  test.each([
    { what: 'asked about', text: 'What did we update in CHANGELOG.md?', says: 'The header.' },
    {
      what: 'that must not be changed',
      text: 'Fix the typo, but do not update README.md.',
      says: 'The typo is gone.',
    },
    {
      what: 'whose place is asked for first',
      text: 'Write plan.md.',
      says: 'Where is it to go, docs/ or the root?',
    },
    {
      what: 'that waits for a confirmation',
      text: 'Write plan.md.',
      says: 'I wait for your OK: plan.md exists.',
    },
    {
      what: 'that is refused',
      text: 'Write plan.md.',
      says: 'I will not: the folder is locked for the release.',
    },
  ])('T29: a file $what is not waited for either', async ({ text, says: answer }) => {
    const { told, end } = await drive({ tools: [edit] }, [says(answer)], text);
    expect({ told, end }).toEqual({ told: [], end: { ...completed, steps: 1 } });
  });

  test('T29: by default an agent without tools may announce anything', async () => {
    const { end } = await drive({}, [says("I'll be brief from now on.")]);
    expect(end).toMatchObject(completed);
  });
});

describe('H5: status-only answers', () => {
  const used = (...after: Scripted[]) =>
    drive({ guardrails: 'hamr', tools: [get] }, [calls(['get', {}]), ...after]);

  test.each([
    'Done',
    'done.',
    'Status: completed',
    'status: done',
    'Status - completed',
    '**OK**',
    'Finished!',
    'Working tree: clean',
    '(done)',
    '- done',
    '* Done.',
    'Done…',
    'Done...',
    '"done"',
    '“Completed”',
    '> ok',
    '[x] done',
    '1. Finished',
    '🎉 Done!',
    'Status: **completed**.',
    'Erledigt.',
    'Terminé.',
    'Listo',
  ])('H5: after tools "%s" is sent back', async (text) => {
    const { told } = await used(says(text), says('Read the parser: it takes JSON.'));
    expect(told).toEqual(['status_only']);
  });

  test.each([
    'Done: fixed parser in a.ts',
    'OK, the parser takes JSON.',
    '- done: the parser\n- open: the docs',
    '(done) parser (open) docs',
    '"done" is what the server answers.',
    '200',
    '- a.ts',
    'Done, 3 of 3…',
    '1. Done\n2. Not done',
  ])('H5: "%s" is accepted', async (text) => {
    expect((await used(says(text))).told).toEqual([]);
  });

  test('H5: two times, then it is accepted and flagged', async () => {
    const { end, told, slots } = await used(says('Done'), says('Done'), says('Done'));
    expect(told).toEqual(['status_only', 'status_only']);
    expect(end).toMatchObject({ ...completed, steps: 4 });
    expect(slots.at(-1)?.verdicts).toMatchObject([{ kind: 'flag', code: 'status_only_accepted' }]);
  });

  test('H5: without tools "ok" is an answer', async () => {
    expect((await drive({ guardrails: 'hamr' }, [says('ok')])).told).toEqual([]);
  });
});

/** The contract of an agent, as its guards read it. */
const pinnedContract = (contract: unknown) =>
  defineAgent({
    ...{ name: 'a', version: '1', model: { name: 'm' }, system: 's', tools: [] },
    guardrails: { verify: { contract: contract as [] } },
  }).guardrails.verify.contract;

describe('H4: the verification contract', () => {
  const under = (verify: object, tools = [edit, test1(0)]): Definition => ({
    tools,
    guardrails: { preset: 'hamr', verify: { maxNudges: 5, ...verify } },
  });
  const claims = says('The parser now takes JSON.');
  const edits = (path = 'a.ts') => calls(['edit_file', { path, text: '…' }]);
  const verifies = () => calls(['run_tests', {}]);

  test('H4: patch: a claim without a change is sent back; after an edit it is accepted', async () => {
    const { end, told, internals } = await drive(under({ mode: 'patch' }), [claims, edits(), claims]);
    expect(told).toEqual(['wants_files_changed']);
    expect(internals[0]?.text).toContain('no file has been changed');
    expect(end).toEqual({ ...completed, steps: 3 });
  });

  test('H4: patch: a failed edit is no change', async () => {
    const failing = tool('edit_file', () => {
      throw new Error('no match');
    });
    const { told } = await drive(under({ mode: 'patch', maxNudges: 1 }, [failing]), [
      edits(),
      claims,
      claims,
    ]);
    expect(told).toEqual(['wants_files_changed']);
  });

  test('H4: patch: a question requires no change', async () => {
    const { told } = await drive(under({ mode: 'patch' }), [says('JSON.')], 'What does the parser take?');
    expect(told).toEqual([]);
  });

  test('H4: verify: passes with exit code 0 after the last change', async () => {
    const { told, end } = await drive(under({ mode: 'verify' }), [edits(), claims, verifies(), claims]);
    expect(told).toEqual(['wants_verification_passed']);
    expect(end).toMatchObject(completed);
  });

  test('H4: verify: a later change invalidates it', async () => {
    const script = [edits(), verifies(), edits('b.ts'), claims, verifies(), claims];
    expect((await drive(under({ mode: 'verify' }), script)).told).toEqual(['wants_verification_passed']);
  });

  test('H4: verify: a failing one has run, but not passed', async () => {
    const script = [edits(), verifies(), claims, claims];
    const failing = under({ mode: 'verify', maxNudges: 1 }, [edit, test1(2)]);
    const { told, internals } = await drive(failing, script);
    expect(told).toEqual(['wants_verification_passed']);
    expect(internals[0]?.text).toContain('exited with 2');
    const ran = under({ contract: 'verification_ran' }, [edit, test1(2)]);
    expect((await drive(ran, [edits(), verifies(), claims])).told).toEqual([]);
  });

  test('H4: an explicit contract overrides the mode', async () => {
    const { told } = await drive(under({ mode: 'verify', contract: 'none' }), [claims]);
    expect(told).toEqual([]);
  });

  test.each([
    { onExhausted: 'accept', end: completed },
    { onExhausted: 'verification_failed', end: { state: 'error', reason: 'verification_failed' } },
  ])('H4: five nudges in a row, then $onExhausted', async ({ onExhausted, end }) => {
    const script = Array.from({ length: 6 }, () => claims);
    const ran = await drive(under({ mode: 'patch', onExhausted }), script, 'Fix the parser.');
    expect(ran.told).toHaveLength(5);
    expect(ran.end).toMatchObject({ ...end, steps: 6 });
  });

  const bash = (exitCode = 0) =>
    tool('bash', () => ({ exitCode, stdout: 'ran' }), { effect: 'once', evidence: { shell: true } });
  const runs = (...commands: string[]) => commands.map((command) => calls(['bash', { command }]));

  test.each([0, 1])('H4: patch: a verification that exits with %i is no change', async (exitCode) => {
    for (const contract of [{ mode: 'patch' }, { contract: 'files_changed' }]) {
      const script = [...runs('npm test'), claims, edits(), claims];
      const { told, end } = await drive(under(contract, [edit, bash(exitCode)]), script, 'Fix the parser.');
      expect(told).toEqual(['wants_files_changed']);
      expect(end).toMatchObject(completed);
    }
  });

  test('H4: changed and verified are required separately, and each missing one is named', async () => {
    const both = under({ contract: ['files_changed', 'verification_passed'], maxNudges: 5 }, [edit, bash()]);
    const script = [claims, ...runs('npm test'), claims, edits(), claims, ...runs('npm test'), claims];
    const { internals, end } = await drive(both, script, 'Fix the parser.');
    expect(internals.map(({ text }) => text)).toEqual([
      expect.stringMatching(/no file has been changed.*must pass after the last change/),
      expect.stringMatching(/no file has been changed(?!.*must pass)/),
      expect.stringMatching(/^(?!.*no file has been changed).*must pass/),
    ]);
    expect(end).toEqual({ ...completed, steps: 7 });
  });

  test('H4: the end of a run without verification names what is missing', async () => {
    const both = under({
      contract: ['files_changed', 'verification_ran'],
      maxNudges: 0,
      onExhausted: 'verification_failed',
    });
    const { events } = await drive(both, [claims], 'Fix the parser.');
    expect(endings(events)[0]?.message).toContain('files_changed and verification_ran');
  });

  test.each([
    'Can you fix the parser?',
    'Could you please fix the bug in a.ts?',
    'List handling is broken, fix it',
    'Kannst du den Parser reparieren?',
    'Peux-tu corriger le parseur ?',
    '¿Puedes corregir el parser?',
  ])('H4: patch: "%s" requires a change', async (text) => {
    const { told } = await drive(under({ mode: 'patch' }), [claims, edits(), claims], text);
    expect(told).toEqual(['wants_files_changed']);
  });

  test.each([
    { command: 'cat test.txt', told: ['wants_verification_passed'] },
    { command: 'echo "no tests to build"', told: ['wants_verification_passed'] },
    { command: 'npm test || true', told: ['wants_verification_passed'] },
    { command: 'python -m unittest', told: [] },
    { command: 'cd shop && FOO=1 timeout 60 go vet ./...', told: [] },
    { command: 'docker compose run --rm shop cargo test', told: [] },
    { command: 'bash -c "mvn -q verify"', told: [] },
  ])('H4: verify: after "$command" the model is told $told', async ({ command, told }) => {
    const again = told.length > 0 ? [...runs('npm test'), claims] : [];
    const ran = await drive(under({ mode: 'verify' }, [bash()]), [...runs(command), claims, ...again]);
    expect(ran.told).toEqual(told);
    expect(ran.end).toMatchObject(completed);
  });

  test('H4: verify: an exit code that a pipe hides is none, and the model is told why', async () => {
    const quiet = tool('bash', () => ({ exitCode: 0, stdout: '' }), { effect: 'once' });
    const script = [...runs('npm test > /dev/null; echo ok'), claims, ...runs('npm test'), claims];
    const { internals } = await drive(under({ mode: 'verify' }, [quiet]), script);
    expect(internals[0]?.text).toContain('run it by itself');
  });

  test.each([
    { exit_code: 0, told: [] },
    { returncode: 0, told: [] },
    { exit_code: 1, told: ['wants_verification_passed'] },
    { exitCode: null, signal: 'SIGKILL', told: ['wants_verification_passed'] },
  ])('H4: %j: fields that a tool uses for its exit code', async ({ told, ...result }) => {
    const other = tool('bash', () => ({ ...result, stdout: 'ran' }), { effect: 'once' });
    const definition = under({ mode: 'verify', maxNudges: told.length, onExhausted: 'accept' }, [other]);
    const ran = await drive(definition, [...runs('npm test'), claims, ...told.map(() => claims)]);
    expect(ran.told).toEqual(told);
  });

  test.each([
    ...['sed -i s/a/b/ a.ts', 'git apply fix.patch', 'echo x > a.ts', "cat > a.ts <<'EOF'\nx\nEOF"],
    ...[
      'git checkout -- a.ts',
      'mv a.ts b.ts',
      'rm a.ts',
      'cp b.ts a.ts',
      'patch -p1 < a.patch',
      'tee a.ts < b.ts',
    ],
  ])('H4: %s is a change, and invalidates an earlier verification', async (command) => {
    const patch = await drive(
      under({ mode: 'patch' }, [bash()]),
      [...runs(command), claims],
      'Fix the parser.',
    );
    expect(patch.told).toEqual([]);
    const script = [...runs('npm test', command), claims, ...runs('npm test'), claims];
    const verify = await drive(under({ mode: 'verify' }, [bash()]), script);
    expect(verify.told).toEqual(['wants_verification_passed']);
  });

  test('H4: reads, and the log of a test, are none', async () => {
    const script = [
      ...runs('cat a.ts > /dev/null', 'npm test 2>&1 | tee test.log', 'git status', 'rm /tmp/x'),
      claims,
    ];
    const patch = await drive(
      under({ mode: 'patch', maxNudges: 1 }, [bash()]),
      [...script, claims],
      'Fix it.',
    );
    expect(patch.told).toEqual(['wants_files_changed']);
    expect((await drive(under({ mode: 'verify' }, [bash()]), script)).told).toEqual([]);
  });

  test('H4: a contract that is no list of known names is refused', () => {
    expect(() => pinnedContract(['files_changed', 'tests'])).toThrow(/contract/);
    expect(pinnedContract([])).toEqual([]);
  });

  test('H4: by default no verification is required', async () => {
    expect((await drive({ tools: [edit] }, [claims])).told).toEqual([]);
  });

  test('H4: a shell’s test run is a verification, by its command and its exit code', async () => {
    const bash = tool('bash', ({ command }) => ({ exitCode: command === 'npm test' ? 0 : 1 }), {
      effect: 'once',
    });
    const script = [
      calls(['bash', { command: 'ls' }]),
      claims,
      calls(['bash', { command: 'npm test' }]),
      claims,
    ];
    expect((await drive(under({ mode: 'verify' }, [bash]), script)).told).toEqual([
      'wants_verification_passed',
    ]);
  });

  test('H2: planning prose comes before status, and both before the contract; suppressed nudges are not counted', async () => {
    const script = [edits(), plans(1), says('Done'), claims, verifies(), claims];
    const { told, world } = await drive(under({ mode: 'verify', maxNudges: 1 }), script, 'Fix the parser.');
    expect(told).toEqual(['planning_prose', 'status_only', 'wants_verification_passed']);
    const { guardrails } = (await world.view()).session.metadata;
    expect(guardrails).toMatchObject({
      status_only: { nudges: 1 },
      verification: { changedFiles: ['a.ts'] },
    });
  });

  test('H4: deaths in the middle change no verification', async () => {
    await sameWhenKilled(() => ({
      definition: under({ mode: 'verify' }, [
        tool('edit_file', undefined, { effect: 'idempotent' }),
        test1(0),
      ]),
      script: [edits(), claims, verifies(), claims],
      text: 'Fix the parser.',
    }));
  });
});
