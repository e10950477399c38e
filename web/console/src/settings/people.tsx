import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { PersonErasure } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';

/** Ms between two looks at a deletion: the sweeper deletes once a minute. */
const LOOK_MS = 5_000;
/** Sessions whose users the field suggests: the latest ones. */
const SUGGESTING = 100;

/** Deletes everything that is stored of a person, after a confirmation, and tells how far that is. */
export function People() {
  const [user, setUser] = useState('');
  const [step, setStep] = useState<'name' | 'confirm' | 'watch'>('name');
  const show = (event: FormEvent) => {
    event.preventDefault();
    setStep('watch');
  };
  const change = (name: string) => {
    setUser(name);
    setStep('name');
  };
  return (
    <section aria-label="People">
      <h2>Data of a person</h2>
      <form className="stack narrow" onSubmit={show}>
        <label htmlFor="person">Person, as sessions name their user</label>
        <input
          id="person"
          list="people"
          placeholder="user:ada"
          maxLength={300}
          value={user}
          onChange={(event) => change(event.target.value.trim())}
        />
        <Known />
        <div className="row">
          <button type="submit" disabled={user === ''}>
            Show deletion
          </button>
          <button type="button" className="danger" disabled={user === ''} onClick={() => setStep('confirm')}>
            Delete data
          </button>
        </div>
      </form>
      {step === 'confirm' && (
        <Confirm key={user} user={user} onBegun={() => setStep('watch')} onCancel={() => setStep('name')} />
      )}
      {step === 'watch' && <Progress user={user} />}
    </section>
  );
}

/** Suggests the users of the latest sessions: a deletion under a misspelt name ends as done, and deletes nothing. */
function Known() {
  const { client } = useDeployment();
  const { data } = useQuery({
    queryKey: ['people'],
    queryFn: () => client.sessions({ limit: SUGGESTING }),
  });
  const users = new Set(data?.sessions.flatMap(({ user }) => user ?? []));
  return (
    <datalist id="people">
      {[...users].sort().map((user) => (
        <option key={user} value={user} />
      ))}
    </datalist>
  );
}

interface ConfirmProps {
  readonly user: string;
  readonly onBegun: () => void;
  readonly onCancel: () => void;
}

function Confirm({ user, onBegun, onCancel }: ConfirmProps) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const [again, setAgain] = useState('');
  const erase = useMutation({
    mutationFn: () => client.erasePerson(user),
    onSuccess: (begun) => {
      queries.setQueryData(['erasure', user], begun);
      onBegun();
    },
  });
  return (
    <section className="stack narrow" aria-label="Confirm deletion">
      <p>
        Deletes everything that is stored of {plain(user)}: the sessions that they began, with what others
        said in them, and their forks, memories, uploads and schedules. Their messages in sessions of others
        stay. First take away their access. This cannot be undone.
      </p>
      <label htmlFor="person-again">Type the name again</label>
      <input id="person-again" value={again} onChange={(event) => setAgain(event.target.value.trim())} />
      <div className="row">
        <button
          type="button"
          className="danger"
          disabled={again !== user || erase.isPending}
          onClick={() => erase.mutate()}
        >
          Delete permanently
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
      <Failure error={erase.error} />
    </section>
  );
}

function Progress({ user }: { readonly user: string }) {
  const { client } = useDeployment();
  const { data, error } = useQuery({
    queryKey: ['erasure', user],
    queryFn: () => client.erasure(user),
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'done' ? LOOK_MS : false),
  });
  if (error) return <Failure error={error} />;
  if (!data) return null;
  const { sessions, memories, uploads } = data;
  return (
    <div role="status">
      <p>
        {plain(data.user)}: {stateOf(data)}
      </p>
      <p className="dim">
        Deleted: {sessions.erased} sessions ({sessions.left} left), {memories} memories, {uploads} uploads.
      </p>
    </div>
  );
}

function stateOf({ state, goneBy, doneAt }: PersonErasure): string {
  switch (state) {
    case 'erasing':
      return 'Deleting. This takes a few minutes, and continues if you leave this page.';
    case 'erased':
      return `Nothing that was found is stored any more. A last look for late writes follows after ${timeOf(goneBy)}.`;
    case 'done':
      return `Done at ${timeOf(doneAt)}.`;
    default:
      return state satisfies never;
  }
}

const timeOf = (at: string | undefined): string => (at ? new Date(at).toLocaleString() : '');
