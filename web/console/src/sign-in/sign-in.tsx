import { type FormEvent, useState } from 'react';
import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import { httpClient } from '../../../client/http.ts';
import { ProblemError } from '../../../client/problem.ts';
import { Failure } from '../parts/failure.tsx';
import { keepToken } from './kept.ts';

interface SignInProps {
  readonly config: ConsoleConfig;
  /** Why the previous user was signed out. */
  readonly refused: Error | undefined;
  /** Called when a token has been stored. */
  readonly onToken: () => void;
}

/** Signs a user in: by a token or an API key, or at the issuer. */
export function SignIn({ config: { oidc }, refused, onToken }: SignInProps) {
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<unknown>(refused);
  const [busy, setBusy] = useState(false);

  const check = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      // No session has this id, so a valid token gets a 404.
      await httpClient({ httpUrl: location.origin, token: token.trim() })
        .session('0')
        .catch((error: unknown) => {
          if (!(error instanceof ProblemError && error.problem.status === 404)) throw error;
        });
      keepToken(token);
      onToken();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const atIssuer = async () => {
    if (!oidc) return;
    const { signIn } = await import('./oidc.ts');
    await signIn(oidc).catch(setFailure);
  };

  return (
    <main className="sign-in">
      <h1>Steploop</h1>
      {oidc && (
        <>
          <button type="button" className="primary" onClick={atIssuer}>
            Sign in with {new URL(oidc.issuer).hostname}
          </button>
          <p className="dim">or with a token or an API key</p>
        </>
      )}
      <form onSubmit={check}>
        <label htmlFor="token">Token or API key</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <p className="dim">Kept in this tab only, and forgotten when you close it.</p>
        <button type="submit" disabled={busy || token.trim() === ''}>
          Sign in
        </button>
      </form>
      <Failure error={failure} />
    </main>
  );
}
