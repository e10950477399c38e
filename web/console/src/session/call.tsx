import * as Collapsible from '@radix-ui/react-collapsible';
import type { CallItem } from '../../../client/index.ts';
import { Block, pretty } from '../parts/block.tsx';
import { plain } from '../parts/plain.ts';

/** A tool call: its name and arguments in a line, which opens to all of both. */
export function Call({ call }: { readonly call: CallItem }) {
  const { name, args, result, progress } = call;
  return (
    <Collapsible.Root className="call">
      <Collapsible.Trigger className="call-head">
        <span className="mono">{name || '…'}</span>
        <span className="args mono">{plain(args)}</span>
        <span className={`badge ${result === undefined ? 'live' : 'calm'}`}>
          {result === undefined ? (progress?.message ?? 'running') : 'done'}
        </span>
      </Collapsible.Trigger>
      {progress?.share !== undefined && result === undefined && (
        <progress aria-label={`Progress of ${name}`} value={progress.share} max={1} />
      )}
      <Collapsible.Content className="call-body">
        <p className="who">Arguments</p>
        <Block text={pretty(args)} />
        {result !== undefined && (
          <>
            <p className="who">Result</p>
            <Block text={pretty(result)} />
          </>
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
