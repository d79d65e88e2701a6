import { type AudioFormat, L16_8K, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { invalid } from './errors.js';

export type Body = Readonly<Record<string, unknown>>;

const E164 = /^\+[1-9]\d{6,14}$/;
const STREAM = [
  'stream_url',
  'stream_track',
  'stream_codec',
  'stream_bidirectional_mode',
  'stream_bidirectional_codec',
  'stream_bidirectional_sampling_rate',
];
const COMMON = ['client_state', 'command_id'];
/** What a dial may say; what is not emulated is refused rather than ignored. */
const DIAL = new Set([
  'connection_id',
  'to',
  'from',
  'timeout_secs',
  'answering_machine_detection',
  ...STREAM,
  ...COMMON,
]);
const ACTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  answer: new Set([...STREAM, ...COMMON]),
  hangup: new Set(COMMON),
  transfer: new Set(['to', 'from', 'timeout_secs', 'time_limit_secs', 'target_leg_client_state', ...COMMON]),
  bridge: new Set(['call_control_id', ...COMMON]),
  speak: new Set(['payload', 'voice', 'language', ...COMMON]),
};
const DETECTION = new Set(['detect', 'detect_beep', 'detect_words', 'greeting_end', 'premium', 'disabled']);
/** Telnyx's limits of `timeout_secs`. */
const [SHORTEST_RING, LONGEST_RING] = [5, 600];
/** The most that `time_limit_secs` may be, which is its default. */
const LONGEST_CALL = 14_400;

/** Refuses a dial that is not as documented. */
export function checkDial(body: Body): void {
  only(body, DIAL);
  e164(body, 'to');
  e164(body, 'from');
  ringSeconds(body);
  const detection = body.answering_machine_detection;
  if (detection !== undefined && !DETECTION.has(String(detection))) {
    throw invalid('answering_machine_detection');
  }
  readStream(body);
}

/** Refuses a command that is not as documented; false for one that does not exist. */
export function checkCommand(action: string, body: Body): boolean {
  const known = ACTIONS[action];
  if (!known) return false;
  only(body, known);
  if (action === 'transfer') {
    e164(body, 'to');
    ringSeconds(body);
    timeLimit(body);
    base64(body, 'target_leg_client_state');
  }
  if (action === 'answer') readStream(body);
  if (action === 'speak') {
    for (const name of ['payload', 'voice', 'language']) {
      if (typeof body[name] !== 'string' || body[name] === '') throw invalid(`${name} is needed`);
    }
  }
  return true;
}

export function e164(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || !E164.test(value)) throw invalid(`${name} must be in +E164 format`);
  return value;
}

/** Reads for how long it may ring, in s; Telnyx's default is 30. */
export function ringSeconds({ timeout_secs: seconds }: Body): number {
  if (seconds === undefined) return 30;
  if (typeof seconds !== 'number' || seconds < SHORTEST_RING || seconds > LONGEST_RING) {
    throw invalid(`timeout_secs must be ${SHORTEST_RING} to ${LONGEST_RING}`);
  }
  return seconds;
}

/** Nobody talks for as long here: only its form counts. */
function timeLimit({ time_limit_secs: seconds }: Body): void {
  if (seconds === undefined) return;
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > LONGEST_CALL)
    throw invalid(`time_limit_secs must be 1 to ${LONGEST_CALL}`);
}

export function base64(body: Body, name: 'client_state' | 'target_leg_client_state'): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || Buffer.from(value, 'base64').toString('base64') !== value) {
    throw invalid(`${name} must be a valid Base-64 encoded string`);
  }
  return value;
}

/** What a media stream is asked to be. */
export interface StreamRequest {
  readonly url: string;
  /** Without it, what the application sends is dropped. */
  readonly bidirectional: boolean;
  /** Of what the application gets; undefined: the call's own. */
  readonly sends: AudioFormat | undefined;
  /** Of what it sends. */
  readonly takes: AudioFormat;
}

/** Returns the media stream of a command; undefined without one. */
export function readStream(body: Body): StreamRequest | undefined {
  const { stream_url: url, stream_track: track, stream_bidirectional_mode: mode } = body;
  if (url === undefined) return undefined;
  if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) throw invalid('stream_url must be ws or wss');
  if (track !== undefined && !['inbound_track', 'outbound_track', 'both_tracks'].includes(String(track))) {
    throw invalid('stream_track');
  }
  if (mode !== undefined && mode !== 'rtp') throw invalid('only rtp is emulated');
  const rate = body.stream_bidirectional_sampling_rate ?? 8000;
  const takes = codecFormat(body.stream_bidirectional_codec ?? 'PCMU', rate);
  if (!takes)
    throw invalid('stream_bidirectional_codec or stream_bidirectional_sampling_rate is not emulated');
  const { stream_codec: codec = 'default' } = body;
  const sends = codec === 'default' ? undefined : codecFormat(codec, codec === 'L16' ? 16_000 : 8000);
  if (codec !== 'default' && !sends) throw invalid('stream_codec is not emulated');
  return { url, bidirectional: mode === 'rtp', sends, takes };
}

/** Returns the format of a codec; case counts, and G.711 has one rate. */
function codecFormat(codec: unknown, rate: unknown): AudioFormat | undefined {
  if (codec === 'PCMU' && rate === 8000) return PCMU_8K;
  if (codec === 'PCMA' && rate === 8000) return PCMA_8K;
  if (codec === 'L16') return rate === 16_000 ? L16_16K : rate === 8000 ? L16_8K : undefined;
  return undefined;
}

function only(body: Body, known: ReadonlySet<string>): void {
  const strange = Object.keys(body).find((name) => !known.has(name));
  if (strange !== undefined) throw invalid(`${strange} is not emulated`);
  base64(body, 'client_state');
}
