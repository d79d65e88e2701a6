import { clock } from './figures.js';

/** What goes wrong, and what to do about it. Nothing in here touches the page, so that it is tested without a browser. */

const END_REASONS = {
  caller_hangup: 'You hung up.',
  agent_hangup: 'The agent said goodbye and hung up.',
  operator_hangup: 'The call was hung up from outside.',
  transferred: 'The agent transferred the call.',
  silence_timeout: 'Nothing was said for too long.',
  max_duration: 'The longest duration that the agent allows was reached.',
  provider_failed: "One of the agent's providers failed. The call's events say which.",
  worker_lost: 'The media worker of this call was lost.',
  no_capacity: 'No media worker had room.',
};

export function endText({ reason, durationMs }) {
  return `${END_REASONS[reason] ?? 'The call is over.'} It took ${clock(durationMs)}.`;
}

/** What keeps this browser from talking at all; null where nothing does. */
export function environmentProblem({ isSecureContext, hasMediaDevices, hasPeerConnection }) {
  if (!isSecureContext) {
    return problem(
      'This address may not use the microphone',
      'Browsers give the microphone to https addresses and to this very machine only. Open the page by https, or ' +
        'on the machine itself as http://localhost or http://127.0.0.1 (from afar: ssh -L 8080:127.0.0.1:8080 …).',
    );
  }
  if (!hasPeerConnection) {
    return problem(
      'This browser has no WebRTC',
      'Use a current Chrome, Edge, Firefox or Safari, and check that WebRTC is not switched off by an extension.',
    );
  }
  if (!hasMediaDevices) {
    return problem(
      'This browser gives no page a microphone',
      'Use a current Chrome, Edge, Firefox or Safari.',
    );
  }
  return null;
}

/** Why there is no microphone: by the name of what getUserMedia was refused with. */
export function microphoneProblem(name) {
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return problem(
        'The microphone was refused',
        'Allow it: press the sign beside the address, set “Microphone” to “Allow”, then try again.',
        true,
      );
    case 'NotFoundError':
    case 'OverconstrainedError':
      return problem(
        'No microphone was found',
        'Connect one, or switch it on in the settings of your system, then try again.',
        true,
      );
    case 'NotReadableError':
    case 'AbortError':
      return problem(
        'The microphone cannot be used',
        'Another program may hold it. Close that, or reconnect the microphone, then try again.',
        true,
      );
    default:
      return problem('The microphone cannot be used', `The browser says: ${name}. Try again.`, true);
  }
}

const problem = (title, text, retry = false) => ({ title, text, retry });

/** Seconds after which to ask again when the service does not say so. */
const DEFAULT_WAIT_S = 5;
const MAX_WAIT_S = 120;

/**
 * What a refusal of the API means to the one who wants to talk: `signed_out`, `wait` (asks again by itself after
 * `seconds`) or `problem`. `retryAfter`: the header, or null.
 */
export function refusal({ status, code, detail, retryAfter }) {
  if (status === 401) return { kind: 'signed_out', expired: code === 'session_expired' };
  if (status === 503 || status === 429) {
    const asked = Number(retryAfter ?? '');
    const wait = Number.isFinite(asked) && asked > 0 ? asked : DEFAULT_WAIT_S;
    // Without a time, an installation without WebRTC will not have it in a moment either.
    if (code === 'webrtc_not_available' && !retryAfter) {
      return { kind: 'problem', problem: problem('WebRTC is not available', detail, true) };
    }
    const titles = {
      webrtc_not_available: 'WebRTC is being set up',
      workers_at_capacity: 'All lines are taken',
      rate_limited: 'That was a little fast',
    };
    return {
      kind: 'wait',
      seconds: Math.min(MAX_WAIT_S, Math.ceil(wait)),
      title: titles[code] ?? 'Not yet',
      text: detail,
    };
  }
  if (status === 0) {
    return {
      kind: 'problem',
      problem: problem(
        'The service cannot be reached',
        'Is it still running, and are you online? Then try again.',
        true,
      ),
    };
  }
  const titles = {
    agent_inactive: 'This agent is switched off',
    agent_not_found: 'This agent is gone',
    pipeline_not_supported: 'This agent cannot talk here',
  };
  return { kind: 'problem', problem: problem(titles[code] ?? 'That did not work', detail, true) };
}

export const CONNECTION_LOST = problem(
  'The connection was lost',
  'Your network may have changed, or the service stopped. Check that you are online, then talk again.',
  true,
);
