import { HttpAgent } from '@ag-ui/client';
import {
  AssistantRuntimeProvider,
  AuiConfig,
  ComposerPrimitive,
  defineToolkit,
  MessagePrimitive,
  ThreadPrimitive,
  Tools,
} from '@assistant-ui/react';
import { useAgUiRuntime, useAgUiState } from '@assistant-ui/react-ag-ui';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

const at = new URLSearchParams(location.hash.slice(1));
const said = (name: string) => at.get(name) ?? '';

// The stack speaks AG-UI itself.
const agent = new HttpAgent({
  url: `${said('aguiUrl')}/${said('agent')}`,
  headers: { authorization: `Bearer ${said('token')}` },
});

/** A tool that this page runs: a call of it waits until the page answers. */
const toolkit = defineToolkit({
  paint: {
    type: 'frontend',
    description: 'Paints the page.',
    parameters: z.object({ color: z.string() }),
    execute: async ({ color }: { color: string }) => {
      document.body.style.background = color;
      return `The page is ${color} now.`;
    },
    renderText: { running: 'Painting', complete: 'Painted' },
  },
});

/** The state that the page shares with the model. */
function City() {
  const state = useAgUiState<{ city?: string }>();
  return <p role="status">{state?.city ?? 'nowhere'}</p>;
}

const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
);

function Page() {
  const runtime = useAgUiRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime} config={AuiConfig({ tools: Tools({ toolkit }) })}>
      <City />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ Message }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const place = document.getElementById('app');
if (!place) throw new Error('the page has no element with the id app');
createRoot(place).render(<Page />);
