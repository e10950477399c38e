/** The page's own code: asks what there is, and shows it as text. Nothing that anybody has written becomes HTML. */

/** Ms between two looks: what Slack shows of a stream comes about as often. */
const LOOK_MS = 500;

const threads = document.getElementById('threads');
const trouble = document.getElementById('trouble');
/** What is shown, by thread: only what has changed is made anew, so that what somebody types stays, and what they press. */
const shown = new Map();

async function ask(path, body) {
  const response = await fetch(path, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  trouble.textContent = '';
  return answer;
}

const told = (error) => {
  trouble.textContent =
    error instanceof TypeError ? 'npm start has ended, or does not answer.' : error.message;
};

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A text in which code between three backticks is a block of its own. */
function textIn({ text, isContext }) {
  const pieces = text.split('```');
  return pieces.flatMap((piece, i) =>
    piece.trim() === '' ? [] : [element(i % 2 ? 'pre' : 'p', isContext ? 'context' : '', piece.trim())],
  );
}

/** A message, and what brings it up to date: buttons stay the ones that somebody is about to press. */
function messageOf(thread, message) {
  const box = element('div');
  const texts = element('div');
  const asked = element('div');
  box.append(element('span', message.isApp ? 'who app' : 'who', message.who), texts, asked);
  let textsAs = '';
  let askedAs = '';
  return {
    box,
    update(now) {
      if (textsAs !== JSON.stringify(now.texts)) texts.replaceChildren(...now.texts.flatMap(textIn));
      textsAs = JSON.stringify(now.texts);
      const wanted = JSON.stringify([now.options, now.buttons]);
      if (askedAs !== wanted) asked.replaceChildren(...askedIn(thread, now));
      askedAs = wanted;
    },
  };
}

/** The menu and the buttons of a message. */
function askedIn(thread, { ts, options = [], buttons }) {
  const chosen = new Set();
  const menu = options.map(({ id, text }) => {
    const label = element('label', 'context', ` ${text} `);
    const mark = element('input');
    mark.type = 'checkbox';
    mark.addEventListener('change', () => (mark.checked ? chosen.add(id) : chosen.delete(id)));
    label.prepend(mark);
    return label;
  });
  const pressed = buttons.map(({ id, text, style }) => {
    const button = element('button', style, text);
    button.type = 'button';
    button.addEventListener('click', () => {
      button.disabled = true;
      ask('/api/clicks', { ts, thread, action: id, chosen: [...chosen] })
        .catch(told)
        .finally(() => {
          button.disabled = false;
        });
    });
    return button;
  });
  return [...menu, ...pressed];
}

function composer(thread) {
  const form = element('form');
  const field = element('textarea');
  field.rows = 1;
  field.required = true;
  field.maxLength = 12_000;
  field.setAttribute('aria-label', 'Reply in this thread');
  field.placeholder = 'Reply…';
  form.append(field, element('button', '', 'Reply'));
  sends(form, field, thread);
  return form;
}

function sends(form, field, thread) {
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value;
    field.value = '';
    ask('/api/messages', { text, ...(thread && { thread }) })
      .then(look)
      .catch((error) => {
        field.value ||= text;
        told(error);
      });
  });
}

function show({ thread, messages }) {
  const known = shown.get(thread) ?? begun(thread);
  const there = new Set(messages.map(({ ts }) => ts));
  for (const [ts, { box }] of known.messages)
    if (!there.has(ts)) {
      box.remove();
      known.messages.delete(ts);
    }
  for (const message of messages) {
    const one = known.messages.get(message.ts) ?? messageOf(thread, message);
    if (!known.messages.has(message.ts)) known.form.before(one.box);
    known.messages.set(message.ts, one);
    one.update(message);
  }
}

function begun(thread) {
  const article = element('article');
  const form = composer(thread);
  article.append(form);
  threads.append(article);
  const made = { form, messages: new Map() };
  shown.set(thread, made);
  return made;
}

/** The input of a field, and how what was entered is read. */
function inputOf({ type, options, optional }) {
  const many = type === 'multi_static_select';
  if (many || type === 'static_select') {
    const select = element('select');
    select.multiple = many;
    select.required = !optional;
    const none = many ? [] : [element('option', '', '')];
    select.append(...none, ...options.map((text) => element('option', '', text)));
    return { input: select, read: () => [...select.selectedOptions].map((one) => one.value) };
  }
  const input = element(type === 'plain_text_input' ? 'textarea' : 'input');
  const types = { number_input: 'number', datepicker: 'date', datetimepicker: 'datetime-local' };
  if (type !== 'plain_text_input') input.type = types[type] ?? 'text';
  if (type === 'number_input') input.step = 'any';
  input.required = !optional;
  return { input, read: () => (input.value === '' ? [] : [input.value]) };
}

const dialog = document.getElementById('form');
/** The form that is shown, as text: one that is being filled in stays. */
let formAs = '';

function showForm(form) {
  if (formAs === JSON.stringify(form ?? null)) return;
  formAs = JSON.stringify(form ?? null);
  if (dialog.open) dialog.close();
  if (!form) return;
  const box = element('form');
  const fields = form.fields.map((field) => {
    const { input, read } = inputOf(field);
    const label = element('label', '', field.optional ? `${field.label} (optional)` : field.label);
    const wrong = element('p', 'wrong');
    wrong.setAttribute('role', 'alert');
    label.append(input);
    box.append(label, ...(field.hint ? [element('p', 'context', field.hint)] : []), wrong);
    return { field, read, wrong };
  });
  box.prepend(...form.texts.map((text) => element('p', 'words', text)));
  const close = element('button', '', form.canSubmit ? 'Cancel' : 'Close');
  close.type = 'button';
  close.addEventListener('click', () => ask('/api/forms/close', {}).then(look).catch(told));
  box.append(...(form.canSubmit ? [element('button', 'primary', 'Send')] : []), close);
  box.addEventListener('submit', (event) => {
    event.preventDefault();
    const entered = fields.flatMap(({ field, read }) => {
      const values = read().filter((value) => value !== '');
      if (values.length === 0) return [];
      return [[field.label, field.type === 'multi_static_select' ? values : values[0]]];
    });
    ask('/api/forms', { entered: Object.fromEntries(entered) })
      .then(({ errors }) => {
        for (const { field, wrong } of fields) wrong.textContent = errors[field.label] ?? '';
        return look();
      })
      .catch(told);
  });
  dialog.replaceChildren(box);
  dialog.showModal();
}
dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  ask('/api/forms/close', {}).then(look).catch(told);
});

async function look() {
  const room = await ask('/api/room');
  for (const thread of room.threads) show(thread);
  showForm(room.form);
}

async function keepLooking() {
  await look().catch(told);
  setTimeout(keepLooking, LOOK_MS);
}

const compose = document.getElementById('compose');
sends(compose, document.getElementById('text'));
keepLooking();
