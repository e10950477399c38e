import { connect, watchSession } from 'steploop/client';

const { httpUrl, socketUrl, token, agent } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const steploop = connect({ httpUrl, socketUrl, token });
const [talk, asked, say, stop, failure] = ['talk', 'asked', 'say', 'stop', 'failure'].map((id) =>
  document.getElementById(id),
);
let sessionId;

/** Runs an action that a person asked for, and shows the error if it fails. */
const attempt = (act) => async (event) => {
  event.preventDefault();
  failure.textContent = '';
  try {
    await act(event);
  } catch (error) {
    failure.textContent = error.message;
  }
};

say.addEventListener(
  'submit',
  attempt(async () => {
    const message = new FormData(say).get('message');
    if (sessionId) await steploop.addMessage(sessionId, message);
    else {
      ({ sessionId } = await steploop.createSession({ agent, message }));
      watchSession(steploop, sessionId, {
        onView: show,
        onEvent: ({ type }) => type.startsWith('RUN_') && showAsked(),
        onRefused: (error) => {
          failure.textContent = error.message;
        },
      });
    }
    say.reset();
  }),
);

stop.addEventListener(
  'click',
  attempt(() => sessionId && steploop.cancel(sessionId)),
);

/** Text only, never HTML: a model's output is not trusted. */
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

function show({ items }) {
  talk.replaceChildren(
    ...items.flatMap((item) => {
      if (item.kind === 'message') return [element('li', `${item.role}: ${item.text}`)];
      if (item.kind === 'call') return [element('li', `${item.name}(${item.args}) ${item.result ?? '…'}`)];
      return [];
    }),
  );
}

async function showAsked() {
  const { waits } = await steploop.session(sessionId);
  asked.replaceChildren(
    ...waits
      .filter(({ kind }) => kind === 'approval')
      .flatMap(({ id, message }) => {
        const button = (text, approved) => {
          const made = element('button', text);
          const decide = attempt(() => steploop.decide(sessionId, { id, approved }));
          made.addEventListener('click', decide);
          return made;
        };
        return [element('pre', message), button('Approve', true), button('Refuse', false)];
      }),
  );
}
