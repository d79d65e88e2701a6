/** How often one call may be handed from agent to agent. */
export const MAX_HANDOFFS = 5;

export interface WantedHandoff {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface PastHandoff {
  readonly to: string;
  readonly reason: string;
}

/**
 * Returns why a call is not handed over, in words for the model; null when it may be. Agents that send a caller to and fro
 * have to say each time what is new about it, and not for ever. Pure.
 *
 * @param first the agent that the call began with
 */
export function handoffRefusal(
  wanted: WantedHandoff,
  first: string,
  past: readonly PastHandoff[],
): string | null {
  if (wanted.to === wanted.from) return 'You are this agent yourself. Go on with the caller.';
  if (past.length >= MAX_HANDOFFS) {
    return `This call was handed over ${MAX_HANDOFFS} times, which is the most. Go on with the caller yourself.`;
  }
  const hadCaller = wanted.to === first || past.some(({ to }) => to === wanted.to);
  if (!hadCaller) return null;
  const reason = normalised(wanted.reason);
  if (reason !== '' && past.every((handoff) => normalised(handoff.reason) !== reason)) return null;
  return (
    'This agent has had the caller before. Hand back only for a reason that is new in this call, and name it; ' +
    'otherwise go on with the caller yourself.'
  );
}

/** Case, punctuation and spaces make no new reason. */
function normalised(reason: string): string {
  return reason
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
