/** What the page does about keys and about a connection's state. Nothing in here touches the page, so that it is tested without a browser. */

/** How often a lost connection is restored before the page gives up, and what is waited before the first try, ms. */
const MAX_RESTARTS = 5;
const HEAL_MS = 1500;

/**
 * What to do about a connection's state: `restart` (ICE, after `afterMs`), `anew` (a new connection for the same
 * call) or `give_up`; null: nothing. `restarts`: tries since it was connected last.
 */
export function recovery(state, restarts) {
  if (state !== 'disconnected' && state !== 'failed') return null;
  if (restarts >= MAX_RESTARTS) return { kind: 'give_up' };
  // A short interruption ends by itself.
  const afterMs = state === 'disconnected' && restarts === 0 ? HEAL_MS : Math.min(4000, 500 * 2 ** restarts);
  return { kind: restarts >= 2 ? 'anew' : 'restart', afterMs };
}

/** What a key does during a call; null: nothing, also where it belongs to the control that has the focus. */
export function keyAction({ key, repeat, withModifier, target }) {
  if (repeat || withModifier) return null;
  if (key === 'Escape') return 'hang_up';
  if (target === 'text' || target === 'select') return null;
  if (key === 'm' || key === 'M') return 'mute';
  return key === ' ' && target !== 'button' ? 'mute' : null;
}
