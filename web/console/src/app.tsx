import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isFinal, ProblemError } from '../../client/http.ts';
import { DeploymentProvider } from './deployment.tsx';
import { Failure } from './parts/failure.tsx';
import { router } from './router.tsx';
import type { Begun } from './sign-in/begin.ts';
import { credentialOf } from './sign-in/kept.ts';
import { SignIn } from './sign-in/sign-in.tsx';

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
  const [refused, setRefused] = useState<ProblemError>();
  useEffect(() => void begun.then(setKnown, setFailure), [begun]);

  // A key was revoked, or a token has expired: the user signs in again.
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query: { state } }) => {
        const { error } = state;
        if (!(error instanceof ProblemError) || error.problem.status !== 401) return;
        setRefused(error);
        setKnown((before) => {
          void before?.credential?.forget();
          return before && { ...before, credential: undefined };
        });
        queries.clear();
      }),
    [],
  );

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
  const { config, credential } = known;
  const look = async () => setKnown({ config, credential: await credentialOf(config) });
  const leave = async () => {
    await credential?.forget();
    queries.clear();
    await look();
  };
  if (!credential) return <SignIn config={config} refused={refused} onToken={() => void look()} />;
  return (
    <QueryClientProvider client={queries}>
      <DeploymentProvider config={config} credential={credential} onLeave={() => void leave()}>
        <RouterProvider router={router} />
      </DeploymentProvider>
    </QueryClientProvider>
  );
}
