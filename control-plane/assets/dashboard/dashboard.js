/** @typedef {{ id: string, name: string, key_prefix: string, sandbox: boolean, created_at: string, review: { reason: string, since: string } | null }} Key */

/** @param {string} id */
const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
};
const input = (id) => /** @type {HTMLInputElement} */ (element(id));
const button = (id) => /** @type {HTMLButtonElement} */ (element(id));

class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Asks the API as the session's tenant, in production unless `sandbox`; the answer's JSON, or undefined without a
 * body.
 */
async function api(method, path, { body, sandbox = false } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        'X-Sandbox': String(sandbox),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'unreachable', 'The service cannot be reached. Is it still running?');
  }
  const text = await response.text();
  let json;
  try {
    json = text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError(response.status, 'unknown', `The service answered ${response.status}.`);
  }
  if (response.ok) return json;
  const detail = Array.isArray(json?.detail)
    ? json.detail.map(({ msg }) => msg).join(' ')
    : (json?.detail ?? `The service answered ${response.status}.`);
  throw new ApiError(response.status, json?.code ?? 'unknown', detail);
}

const VIEWS = ['loading', 'signed-out', 'keys'];
function show(view) {
  for (const id of VIEWS) element(id).hidden = id !== view;
  element('account').hidden = view !== 'keys';
}

function notice(message) {
  element('notice').textContent = message ?? '';
  element('notice').hidden = message === undefined;
}

/** Runs what a person asked for; a session that is over leads back to the sign-in. */
async function attempt(action, pressed) {
  notice();
  if (pressed) pressed.disabled = true;
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) {
      show('signed-out');
      notice(error.code === 'session_expired' ? 'Your session is over. Sign in again.' : error.message);
    } else notice(error.message);
  } finally {
    if (pressed) pressed.disabled = false;
  }
}

/** A list of keys for each mode: no request sees both. */
const lists = [
  { sandbox: false, /** @type {Key[]} */ keys: [], nextCursor: null },
  { sandbox: true, /** @type {Key[]} */ keys: [], nextCursor: null },
];

/** @param {Key} key */
function row(key) {
  const line = document.createElement('tr');
  const cell = (...content) => {
    const made = document.createElement('td');
    made.append(...content);
    line.append(made);
  };
  const tagged = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };
  const created = document.createElement('time');
  created.dateTime = key.created_at;
  created.textContent = new Date(key.created_at).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  const remove = tagged('button', 'quiet danger', 'Delete');
  remove.setAttribute('aria-label', `Delete ${key.name}`);
  remove.addEventListener('click', () => void askToDelete(key));
  if (key.review) {
    const review = tagged('span', 'tag', 'Review: its creator is gone');
    review.title = `Since ${new Date(key.review.since).toLocaleString()}. It works until it is deleted.`;
    cell(key.name, ' ', review);
  } else {
    cell(key.name);
  }
  cell(tagged('code', '', `${key.key_prefix}…`));
  cell(tagged('span', key.sandbox ? 'tag' : 'tag live', key.sandbox ? 'Sandbox' : 'Live'));
  cell(created);
  cell(remove);
  return line;
}

function render() {
  const keys = lists.flatMap((list) => list.keys).sort((a, b) => b.created_at.localeCompare(a.created_at));
  element('rows').replaceChildren(...keys.map(row));
  element('list').hidden = keys.length === 0;
  element('empty').hidden = keys.length > 0;
  element('more').hidden = lists.every(({ nextCursor }) => nextCursor === null);
}

/** Loads the newest keys of both modes, or those that come after what is shown. */
async function load({ further = false } = {}) {
  await Promise.all(
    lists.map(async (list) => {
      if (further && list.nextCursor === null) return;
      const query = further ? `?cursor=${encodeURIComponent(list.nextCursor)}` : '';
      const page = await api('GET', `/api/v1/keys${query}`, { sandbox: list.sandbox });
      list.keys = further ? [...list.keys, ...page.keys] : page.keys;
      list.nextCursor = page.next_cursor;
    }),
  );
  render();
}

async function askToDelete(key) {
  const dialog = /** @type {HTMLDialogElement} */ (element('confirm'));
  element('doomed').textContent = `${key.name} (${key.key_prefix}…)`;
  dialog.returnValue = 'cancel';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  if (dialog.returnValue !== 'delete') return;
  await attempt(async () => {
    await api('DELETE', `/api/v1/keys/${key.id}`, { sandbox: key.sandbox });
    await load();
  });
}

element('create').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  void attempt(async () => {
    const data = new FormData(form);
    const sandbox = data.get('mode') === 'sandbox';
    const made = await api('POST', '/api/v1/keys', { body: { name: data.get('name'), sandbox }, sandbox });
    form.reset();
    input('secret').value = made.key;
    button('copy').textContent = 'Copy';
    element('created').hidden = false;
    input('secret').select();
    await load();
  }, form.querySelector('button'));
});

button('copy').addEventListener('click', async () => {
  const secret = input('secret');
  secret.select();
  try {
    // Absent where the page is neither on loopback nor https.
    await navigator.clipboard.writeText(secret.value);
    button('copy').textContent = 'Copied';
  } catch {
    button('copy').textContent = 'Press Ctrl-C';
  }
});

button('done').addEventListener('click', () => {
  input('secret').value = '';
  element('created').hidden = true;
});

button('more').addEventListener('click', () => void attempt(() => load({ further: true }), button('more')));

button('sign-out').addEventListener('click', () => {
  void attempt(async () => {
    await api('DELETE', '/dashboard/session');
    input('secret').value = '';
    element('created').hidden = true;
    show('signed-out');
  }, button('sign-out'));
});

/** The token of a login link; taken out of the address at once, so that no history keeps it. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

async function enter() {
  const token = takeToken();
  show('loading');
  try {
    const session = token
      ? await api('POST', '/dashboard/session', { body: { token } })
      : await api('GET', '/dashboard/session');
    element('tenant-name').textContent = session.tenant_name;
    await load();
    show('keys');
  } catch (error) {
    show('signed-out');
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== 'missing_credentials') notice(error.message);
  }
}

addEventListener('hashchange', () => void enter());
void enter();
