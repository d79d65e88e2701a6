import { ApiError, api } from './api.js';
import { element } from './screen.js';

/** The token of a login link; taken out of the address at once, so that no history keeps it. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

async function activeAgents() {
  const agents = [];
  let cursor = null;
  // Who has more than a thousand agents tests by the API.
  for (let page = 0; page < 10; page++) {
    const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const listed = await api('GET', `/api/v1/agents?limit=100${next}`);
    agents.push(...listed.agents.filter(({ is_active }) => is_active));
    cursor = listed.next_cursor;
    if (cursor === null) break;
  }
  return agents;
}

/** Whom one can talk to. False: nobody yet. `?agent=<id>` chooses. */
async function fillAgents() {
  const agents = await activeAgents();
  const wanted = new URLSearchParams(location.search).get('agent');
  element('agent').replaceChildren(
    ...agents.map(({ id, name }) => new Option(name, id, false, id === wanted)),
  );
  return agents.length > 0;
}

const NO_AGENTS = 'There is no agent to talk to yet';

function signInTitle(code) {
  if (code === 'login_link_invalid') return 'This link was used already, or is too old';
  return code === 'session_expired' ? 'Your session is over' : 'Sign in';
}

/** Signs in where the address says how; then `onReady`, or the screen says what is missing. */
export async function enter(screen, onReady) {
  const token = takeToken();
  try {
    if (token) await api('POST', '/dashboard/session', { token });
    if (await fillAgents()) onReady();
    else screen.gate(NO_AGENTS, 'gate-no-agents');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) screen.gate(signInTitle(error.code), 'gate-sign-in');
    else screen.gate(error.detail, null);
  }
}

/** Makes the demo agent of this installation the tenant's. */
export async function createDemoAgent(screen, onReady) {
  element('create-demo').disabled = true;
  try {
    await api('POST', '/api/v1/agents', await api('GET', '/talk/demo-agent.json'));
    await fillAgents();
    onReady();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    screen.gate(error.detail, 'gate-no-agents');
  } finally {
    element('create-demo').disabled = false;
  }
}
