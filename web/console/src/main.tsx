import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { begin } from './sign-in/begin.ts';
import './style.css';

const place = document.getElementById('root');
if (!place) throw new Error('the page has no place for the console');

// Before anything else looks at the address: it may hold a token.
const begun = begin();

createRoot(place).render(
  <StrictMode>
    <App begun={begun} />
  </StrictMode>,
);
