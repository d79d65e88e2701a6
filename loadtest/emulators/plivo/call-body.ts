import { invalid } from './errors.js';

export type Body = Readonly<Record<string, unknown>>;

/** What `POST /Call/` takes, as far as it is emulated; anything else is refused by name. */
const URLS = ['answer_url', 'ring_url', 'hangup_url', 'machine_detection_url'];
const METHODS = ['answer_method', 'ring_method', 'hangup_method', 'machine_detection_method', 'aleg_method'];
const KNOWN = new Set(['from', 'to', 'ring_timeout', 'machine_detection', ...URLS, ...METHODS]);

export interface CallRequest {
  readonly from: string;
  readonly to: string;
  readonly ringTimeoutMs: number;
  readonly answerUrl: string;
  readonly ringUrl: string | undefined;
  readonly hangupUrl: string | undefined;
  /** Undefined: nobody listens for a machine. */
  readonly machineUrl: string | undefined;
}

export function readCall(body: Body): CallRequest {
  const unknown = Object.keys(body).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw invalid(`${unknown} is not a parameter`);
  for (const name of METHODS) {
    if (body[name] !== undefined && body[name] !== 'POST') throw invalid(`${name} is not emulated but POST`);
  }
  const { ring_timeout: ring = 120, machine_detection: detection } = body;
  if (!Number.isInteger(ring) || Number(ring) < 1) throw invalid('ring_timeout must be an integer');
  if (detection !== undefined && detection !== 'true') throw invalid('machine_detection must be true');
  const machineUrl = urlIn(body, 'machine_detection_url');
  if (machineUrl !== undefined && detection === undefined) {
    throw invalid('machine_detection_url needs machine_detection');
  }
  return {
    from: numberIn(body, 'from'),
    to: numberIn(body, 'to'),
    ringTimeoutMs: Number(ring) * 1000,
    answerUrl: requiredUrl(body, 'answer_url'),
    ringUrl: urlIn(body, 'ring_url'),
    hangupUrl: urlIn(body, 'hangup_url'),
    machineUrl,
  };
}

/** Returns a number with its country code, and without a plus. */
export function numberIn(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || !/^[1-9]\d{6,14}$/.test(value)) {
    throw invalid(`${name} is not a valid phone number`);
  }
  return value;
}

function urlIn(body: Body, name: string): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/.test(value))
    throw invalid(`${name} is not a valid URL`);
  return value;
}

export function requiredUrl(body: Body, name: string): string {
  const url = urlIn(body, name);
  if (url === undefined) throw invalid(`${name} is missing`);
  return url;
}
