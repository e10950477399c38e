import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { begin } from './sign-in/begin.ts';
import './style.css';

const place = document.getElementById('root');
if (!place) throw new Error('the page has no element with the id root');

// Before any other code reads the address: it may hold a token.
const begun = begin();

createRoot(place).render(
  <StrictMode>
    <App begun={begun} />
  </StrictMode>,
);
