import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from 'steploop/client';
import { SteploopProvider } from 'steploop/react';
import { App } from './app.tsx';

const at = new URLSearchParams(location.hash.slice(1));
const said = (name: string) => at.get(name) ?? '';
const client = () =>
  connect({ httpUrl: said('httpUrl'), socketUrl: said('socketUrl'), token: said('token') });

const place = document.getElementById('app');
if (!place) throw new Error('the page has no element with the id app');
createRoot(place).render(
  <StrictMode>
    <SteploopProvider client={client}>
      <App agent={said('agent')} />
    </SteploopProvider>
  </StrictMode>,
);
