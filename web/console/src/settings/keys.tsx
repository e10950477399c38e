import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { KeyInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Block } from '../parts/block.tsx';
import { Failure } from '../parts/failure.tsx';

/** The tenant's API keys: list, create and revoke. */
export const Keys = ({ keys }: { readonly keys: readonly KeyInfo[] }) => (
  <section aria-label="API keys">
    <h2>API keys</h2>
    {keys.length === 0 ? <p className="dim">None.</p> : <KeyTable keys={keys} />}
    <NewKey />
  </section>
);

function KeyTable({ keys }: { readonly keys: readonly KeyInfo[] }) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  /** The key whose revocation awaits confirmation: it cannot be undone. */
  const [asked, setAsked] = useState<string>();
  const revoke = useMutation({
    mutationFn: (keyId: string) => client.revokeKey(keyId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  return (
    <>
      <Failure error={revoke.error} />
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Id</th>
              <th scope="col">Created</th>
              <th scope="col">Last used</th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {keys.map(({ keyId, name, scopes, createdBy, createdAt, lastUsedOn, revokedAt }) => (
              <tr key={keyId}>
                <th scope="row">
                  {name}
                  {scopes.includes('decide') && ' · may decide'}
                </th>
                <td className="mono">{keyId}</td>
                <td>
                  {createdAt.slice(0, 10)} by {createdBy}
                </td>
                <td>{lastUsedOn ?? 'never'}</td>
                <td>
                  {revokedAt ? (
                    `revoked ${revokedAt.slice(0, 10)}`
                  ) : (
                    <button
                      type="button"
                      className="danger"
                      disabled={revoke.isPending}
                      aria-label={asked === keyId ? `Confirm revoking ${name}` : `Revoke ${name}`}
                      onClick={() => (asked === keyId ? revoke.mutate(keyId) : setAsked(keyId))}
                    >
                      {asked === keyId ? 'Confirm revoke' : 'Revoke'}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function NewKey() {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [mayDecide, setMayDecide] = useState(false);
  const mint = useMutation({
    mutationFn: () => client.mintKey({ name, scopes: mayDecide ? ['decide'] : [] }),
    onSuccess: () => {
      setName('');
      setMayDecide(false);
      return queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mint.mutate();
  };
  return (
    <form className="stack narrow" onSubmit={submit}>
      <h3>New key</h3>
      <label htmlFor="key-name">Name</label>
      <input id="key-name" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <label>
        <input type="checkbox" checked={mayDecide} onChange={(event) => setMayDecide(event.target.checked)} />{' '}
        May approve calls and answer questions
      </label>
      <div className="row">
        <button type="submit" className="primary" disabled={name.trim() === '' || mint.isPending}>
          Create key
        </button>
      </div>
      <Failure error={mint.error} />
      {mint.data && (
        <div role="status">
          <p>The key of {mint.data.name}. Copy it now: it is not shown again.</p>
          <Block text={mint.data.key} />
          <button type="button" onClick={() => mint.reset()}>
            Done
          </button>
        </div>
      )}
    </form>
  );
}
