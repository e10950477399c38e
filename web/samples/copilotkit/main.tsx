import {
  CopilotChat,
  CopilotKitProvider,
  HttpAgent,
  useAgent,
  useFrontendTool,
  useInterrupt,
} from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

const at = new URLSearchParams(location.hash.slice(1));
const said = (name: string) => at.get(name) ?? '';

// The stack speaks AG-UI itself: there is no CopilotKit runtime in between.
const agent = new HttpAgent({
  url: `${said('aguiUrl')}/${said('agent')}`,
  headers: { authorization: `Bearer ${said('token')}` },
});

/** A tool that this page runs: a call of it waits until the page answers. And the state that the page shares with the model. */
function Shared() {
  useFrontendTool({
    name: 'paint',
    description: 'Paints the page.',
    parameters: z.object({ color: z.string() }),
    handler: async ({ color }) => {
      document.body.style.background = color;
      return `The page is ${color} now.`;
    },
  });
  const { agent: shared } = useAgent({ agentId: 'default' });
  return <p role="status">{shared.state?.city ?? 'nowhere'}</p>;
}

/** A call that people must approve ends the run as an interrupt of AG-UI, which CopilotKit shows in the chat. */
function Chat() {
  useInterrupt({
    agentId: 'default',
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {interrupts.map(({ id, message }) => (
          <article key={id} aria-label="Asked">
            <pre>{message}</pre>
            <button type="button" onClick={() => void resolve({ approved: true }, id)}>
              Approve
            </button>
            <button type="button" onClick={() => void cancel(id)}>
              Refuse
            </button>
          </article>
        ))}
      </>
    ),
  });
  return <CopilotChat agentId="default" />;
}

const place = document.getElementById('app');
if (!place) throw new Error('the page has no element with the id app');
createRoot(place).render(
  <CopilotKitProvider selfManagedAgents={{ default: agent }}>
    <Shared />
    <Chat />
  </CopilotKitProvider>,
);
