import { Link, Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeployment } from './deployment.tsx';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const KEPT = 'steploop.theme';

/** The header around every page. */
export function Frame() {
  const { status, leave } = useDeployment();
  const [theme, setTheme] = useState(keptTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  document.documentElement.dataset.theme = theme;
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Steploop
        </Link>
        <nav aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
            Sessions
          </Link>
          <Link to="/now">Now</Link>
          <Link to="/history" search={{ days: 30 }} activeOptions={{ includeSearch: false }}>
            History
          </Link>
          <Link to="/settings">Settings</Link>
        </nav>
        <span className="grow" />
        {status === 'waiting' && (
          <span role="status" className="badge warn">
            Reconnecting …
          </span>
        )}
        <button
          type="button"
          className="quiet"
          onClick={() => {
            localStorage.setItem(KEPT, next);
            setTheme(next);
          }}
        >
          Theme: {theme}
        </button>
        <button type="button" className="quiet" onClick={leave}>
          Sign out
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return themes.find((theme) => theme === kept) ?? 'system';
}
