import { NETWORKS, type NetworkName } from '../media/network.js';
import { parseTwiml, TwimlError, type Verb } from '../twiml/twiml.js';
import { invalidParameter, RestError } from './errors.js';

const CALLBACK_EVENTS = ['initiated', 'ringing', 'answered', 'completed'] as const;
export type CallbackEvent = (typeof CALLBACK_EVENTS)[number];

interface CallbackTarget {
  readonly url: string;
  readonly method: 'POST' | 'GET';
}

/** A dial as it was asked for, checked (twilio.com/docs/voice/api/call-resource, "Create a Call"). */
export interface DialRequest {
  readonly to: string;
  readonly from: string;
  readonly twiml: readonly Verb[];
  readonly status: (CallbackTarget & { readonly events: ReadonlySet<CallbackEvent> }) | undefined;
  /** Seconds that it may ring. */
  readonly timeoutSeconds: number;
  readonly machineDetection: (CallbackTarget & { readonly mode: 'Enable' | 'DetectMessageEnd' }) | undefined;
  /** Of a call that comes in: who is asked what to do. */
  readonly voiceUrl?: string;
  /** Over which it comes, where that was asked for. */
  readonly network?: NetworkName;
}

export type CallUpdate =
  | { readonly change: 'end'; readonly status: 'completed' | 'canceled' }
  | { readonly change: 'redirect'; readonly twiml: readonly Verb[] };

const E164 = /^\+[1-9]\d{6,14}$/;
const DEFAULT_TIMEOUT_SECONDS = 60;
const LONGEST_TIMEOUT_SECONDS = 600;

/** What a dial may say; what is not simulated is refused rather than ignored. */
const KNOWN = new Set([
  'To',
  'From',
  'Twiml',
  'Timeout',
  'StatusCallback',
  'StatusCallbackEvent',
  'StatusCallbackMethod',
  'MachineDetection',
  'AsyncAmd',
  'AsyncAmdStatusCallback',
  'AsyncAmdStatusCallbackMethod',
  'MachineDetectionTimeout',
  'CallToken',
  'CallReason',
]);

export function readDial(form: URLSearchParams): DialRequest {
  refuseUnknown(form, KNOWN);
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  if (to === '') throw new RestError(400, 21201, "No 'To' number is specified");
  if (from === '') throw new RestError(400, 21213, "No 'From' number is specified");
  // +15005550001 is Twilio's own test number for an invalid one.
  if (!E164.test(to) || to === '+15005550001') {
    throw new RestError(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
  }
  if (!E164.test(from) || from === '+15005550001') {
    throw new RestError(
      400,
      21212,
      `The 'From' number ${from} is not a valid phone number, shortcode, or alphanumeric sender ID.`,
    );
  }
  return {
    to,
    from,
    twiml: readTwiml(form),
    status: readStatusCallback(form),
    timeoutSeconds: readTimeout(form),
    machineDetection: readMachineDetection(form),
  };
}

/** Reads over which network a simulated call is to come; none: as all do. */
export function readNetwork(form: URLSearchParams): Pick<DialRequest, 'network'> {
  const asked = form.get('Network');
  if (asked === null) return {};
  const network = NETWORKS.find((name) => name === asked);
  if (!network) throw invalidParameter(`Network must be ${NETWORKS.join(', ')}, not ${asked}`);
  return { network };
}

export function readUpdate(form: URLSearchParams): CallUpdate {
  refuseUnknown(form, new Set(['Status', 'Twiml']));
  const status = form.get('Status');
  if (status !== null) {
    if (status !== 'completed' && status !== 'canceled') {
      throw invalidParameter(`Status must be completed or canceled, not ${status}`);
    }
    return { change: 'end', status };
  }
  return { change: 'redirect', twiml: readTwiml(form) };
}

function readTwiml(form: URLSearchParams): Verb[] {
  const twiml = form.get('Twiml');
  if (!twiml) throw new RestError(400, 21205, 'Url parameter is required.');
  try {
    return parseTwiml(twiml);
  } catch (error) {
    if (error instanceof TwimlError) throw new RestError(400, error.code, error.message);
    throw error;
  }
}

function readStatusCallback(form: URLSearchParams): DialRequest['status'] {
  const target = readTarget(form, 'StatusCallback');
  if (!target) return undefined;
  const named = form.getAll('StatusCallbackEvent');
  for (const event of named) {
    if (!CALLBACK_EVENTS.some((known) => known === event)) {
      throw invalidParameter(`StatusCallbackEvent ${event} is not valid`);
    }
  }
  const events = new Set((named.length === 0 ? ['completed'] : named) as CallbackEvent[]);
  return { ...target, events };
}

function readMachineDetection(form: URLSearchParams): DialRequest['machineDetection'] {
  const mode = form.get('MachineDetection');
  if (mode === null) return undefined;
  if (mode !== 'Enable' && mode !== 'DetectMessageEnd') {
    throw invalidParameter(`MachineDetection must be Enable or DetectMessageEnd, not ${mode}`);
  }
  const target = readTarget(form, 'AsyncAmdStatusCallback');
  if (form.get('AsyncAmd') !== 'true' || !target) {
    throw invalidParameter(
      'only asynchronous answering-machine detection (AsyncAmd with its callback) is simulated',
    );
  }
  return { ...target, mode };
}

function readTarget(form: URLSearchParams, name: string): CallbackTarget | undefined {
  const url = form.get(name);
  if (url === null) return undefined;
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new RestError(400, 21609, `The '${name}' URL ${url} is not a valid URL.`);
  }
  const method = form.get(`${name}Method`) ?? 'POST';
  if (method !== 'POST' && method !== 'GET') throw invalidParameter(`${name}Method must be GET or POST`);
  return { url, method };
}

function readTimeout(form: URLSearchParams): number {
  const seconds = Number(form.get('Timeout') ?? DEFAULT_TIMEOUT_SECONDS);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_TIMEOUT_SECONDS) {
    throw invalidParameter(`Timeout must be 1 to ${LONGEST_TIMEOUT_SECONDS} seconds`);
  }
  return seconds;
}

function refuseUnknown(form: URLSearchParams, known: ReadonlySet<string>): void {
  for (const name of form.keys()) {
    if (!known.has(name)) throw invalidParameter(`${name} is not simulated`);
  }
}
