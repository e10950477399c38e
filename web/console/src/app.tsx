import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { isFinal, ProblemError } from '../../client/problem.ts';
import { DeploymentProvider } from './deployment.tsx';
import { Failure } from './parts/failure.tsx';
import { router } from './router.tsx';
import { type Begun, offeredToken } from './sign-in/begin.ts';
import { credentialOf, keepToken } from './sign-in/kept.ts';
import { Offer } from './sign-in/offer.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { useEnd } from './sign-in/use-end.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (tries, error) => tries < 2 && !(error instanceof ProblemError && isFinal(error.problem)),
      staleTime: 1_000,
    },
  },
});

/** The console. Users sign in first. */
export function App({ begun }: { readonly begun: Promise<Begun> }) {
  const [known, setKnown] = useState<Begun>();
  const [failure, setFailure] = useState<unknown>();
  const [refused, setRefused] = useState<Error>();
  useEffect(() => void begun.then(setKnown, setFailure), [begun]);

  const end = useCallback((why: Error) => {
    setRefused(why);
    setKnown((before) => {
      void before?.credential?.forget();
      return before && { ...before, credential: undefined };
    });
    queries.clear();
  }, []);
  // A key was revoked, or the deployment refuses the token for another reason: the user signs in again.
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query: { state } }) => {
        const { error } = state;
        if (error instanceof ProblemError && error.problem.status === 401) end(error);
      }),
    [end],
  );
  useEnd(
    known?.credential,
    useCallback(
      () => end(new Error('Your session has ended, because its token has expired. Sign in again.')),
      [end],
    ),
  );
  // A link with a token was opened in this tab, which does not load the page again.
  useEffect(() => {
    const look = () => {
      const offered = offeredToken();
      if (offered !== undefined) setKnown((before) => before && { ...before, offered });
    };
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);

  if (failure)
    return (
      <main className="sign-in">
        <h1>Steploop</h1>
        <Failure error={failure} />
        <button type="button" onClick={() => location.assign('/console')}>
          Start over
        </button>
      </main>
    );
  if (!known) return null;
  const { config, credential, offered } = known;
  const look = async () => {
    setRefused(undefined);
    setKnown({ config, credential: await credentialOf(config), offered: undefined });
  };
  const decline = () => setKnown({ ...known, offered: undefined });
  const leave = async () => {
    await credential?.forget();
    queries.clear();
    await look();
  };
  if (!credential && offered !== undefined) {
    const take = () => {
      keepToken(offered);
      void look();
    };
    return <Offer token={offered} onTake={take} onLeave={decline} />;
  }
  if (!credential) return <SignIn config={config} refused={refused} onToken={() => void look()} />;
  return (
    <QueryClientProvider client={queries}>
      {offered !== undefined && (
        <p role="status" className="notice">
          You are signed in already, so the token of this link was not used. Sign out first to use it.
          <button type="button" className="quiet" onClick={decline}>
            Close
          </button>
        </p>
      )}
      <DeploymentProvider config={config} credential={credential} onLeave={() => void leave()}>
        <RouterProvider router={router} />
      </DeploymentProvider>
    </QueryClientProvider>
  );
}
