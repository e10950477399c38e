import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { interrupted } from '../../../local/interrupt.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));

afterEach(() => {
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
});

it.each(signals)('%s shuts down in order, so that nothing stays behind', async (signal) => {
  const first = interrupted();
  // Without a listener the signal would end this process at once.
  expect(process.emit(signal, signal)).toBe(true);
  expect(await Promise.race([first, Promise.resolve('nothing')])).toBe(signal);
});

it('a closed reader also shuts it down in order, without a stack trace', async () => {
  const module = new URL('../../../local/interrupt.ts', import.meta.url).href;
  const script = `import { interrupted } from '${module}';
    const signal = interrupted();
    setInterval(() => console.log('a line'), 5);
    console.error('ended by', await signal);
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = await once(child, 'close');
  expect({ code, said }).toEqual({ code: 0, said: 'ended by SIGPIPE\n' });
});
