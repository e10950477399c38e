import { plain } from '../parts/plain.ts';
import { bearerOf } from './claims.ts';

interface OfferProps {
  readonly token: string;
  readonly onTake: () => void;
  readonly onLeave: () => void;
}

/** Asks whether the token of a link is to be used. Without the question, anyone with a link could sign others in as themselves. */
export function Offer({ token, onTake, onLeave }: OfferProps) {
  return (
    <main className="sign-in">
      <h1>Steploop</h1>
      <p>
        This link signs you in as <strong>{plain(bearerOf(token))}</strong>.
      </p>
      <p className="dim">
        Go on only if you opened it yourself, for example from your own terminal. A person who sent you a link
        with their token can see all that you do here.
      </p>
      <button type="button" className="primary" onClick={onTake}>
        Sign in with this link
      </button>
      <button type="button" onClick={onLeave}>
        Sign in otherwise
      </button>
    </main>
  );
}
