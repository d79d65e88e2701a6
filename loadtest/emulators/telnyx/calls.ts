import { randomUUID } from 'node:crypto';
import { callEnded, invalid, notFound, TelnyxError } from './errors.js';
import { MediaStream } from './media.js';
import type { Webhooks } from './webhooks.js';

type Body = Readonly<Record<string, unknown>>;

export interface EmulatedCall {
  readonly id: string;
  readonly direction: 'incoming' | 'outgoing';
  readonly from: string;
  readonly to: string;
  /** As it was asked for; empty for a call that came in. */
  readonly dial: Body;
  state: 'ringing' | 'answered' | 'ended';
  clientState: string | undefined;
  stream: MediaStream | undefined;
}

const E164 = /^\+[1-9]\d{6,14}$/;
const STREAM = ['stream_url', 'stream_track', 'stream_bidirectional_mode', 'stream_bidirectional_codec'];
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
  transfer: new Set(['to', 'from', ...COMMON]),
  bridge: new Set(['call_control_id', ...COMMON]),
  speak: new Set(['payload', 'voice', 'language', ...COMMON]),
};
const DETECTION = new Set(['detect', 'detect_beep', 'detect_words', 'greeting_end', 'premium', 'disabled']);

/** Call Control of one connection (developers.telnyx.com, "Call Control"). Phones ring as the test says. */
export class EmulatedCalls {
  readonly all: EmulatedCall[] = [];
  readonly commands: { readonly callId: string; readonly action: string; readonly body: Body }[] = [];
  readonly #seenCommands = new Set<string>();

  constructor(
    private readonly connectionId: string,
    private readonly webhooks: Webhooks,
  ) {}

  dial(body: Body): object {
    only(body, DIAL);
    if (body.connection_id !== this.connectionId) throw invalid('connection_id is not yours');
    const [to, from] = [e164(body, 'to'), e164(body, 'from')];
    // Emulated: nobody has this number.
    if (to === '+15005550016') throw new TelnyxError(422, '10016', 'Phone number must be in +E164 format');
    const detection = body.answering_machine_detection;
    if (detection !== undefined && !DETECTION.has(String(detection))) {
      throw invalid('answering_machine_detection');
    }
    readStream(body);
    const repeated = this.#repeated(body);
    if (repeated) return this.#resource(this.all.find((call) => call.dial.command_id === repeated)!);
    const call = this.#add({ direction: 'outgoing', from, to, dial: body, clientState: state(body) });
    void this.#tell(call, 'call.initiated');
    return this.#resource(call);
  }

  resource(id: string): object {
    const call = this.#require(id);
    return { ...this.#resource(call), is_alive: call.state !== 'ended', call_duration: 0 };
  }

  command(id: string, action: string, body: Body): object {
    const call = this.#require(id);
    const known = ACTIONS[action];
    if (!known) throw notFound();
    only(body, known);
    if (call.state === 'ended') throw callEnded();
    if (this.#repeated(body)) return { result: 'ok' };
    if (action === 'speak' && call.state !== 'answered') throw invalid('the call is not answered');
    if (action === 'transfer') e164(body, 'to');
    if (action === 'bridge') this.#require(String(body.call_control_id));
    this.commands.push({ callId: id, action, body });
    if (action === 'answer') {
      call.clientState = state(body) ?? call.clientState;
      void this.#answered(call, body);
    }
    if (action === 'hangup') void this.hangUp(call, 'normal_clearing');
    if (action === 'speak') {
      void this.#tell(call, 'call.speak.started').then(() => this.#tell(call, 'call.speak.ended'));
    }
    return { result: 'ok' };
  }

  /** The callee of an outgoing call takes it. */
  answer(call: EmulatedCall): Promise<void> {
    return this.#answered(call, call.dial);
  }

  async hangUp(call: EmulatedCall, cause: string): Promise<void> {
    if (call.state === 'ended') return;
    call.state = 'ended';
    call.stream?.stop();
    await this.#tell(call, 'call.hangup', { hangup_cause: cause, hangup_source: 'callee' });
  }

  /** Somebody calls a number of ours. */
  async callIn(from: string, to: string): Promise<EmulatedCall> {
    const call = this.#add({ direction: 'incoming', from, to, dial: {}, clientState: undefined });
    await this.#tell(call, 'call.initiated');
    return call;
  }

  /** Any event of the call, such as `call.machine.detection.ended`. */
  tell(call: EmulatedCall, type: string, payload: object = {}): Promise<void> {
    return this.#tell(call, type, payload);
  }

  close(): void {
    for (const call of this.all) call.stream?.stop();
  }

  async #answered(call: EmulatedCall, terms: Body): Promise<void> {
    if (call.state !== 'ringing') return;
    call.state = 'answered';
    const url = readStream(terms);
    if (url !== undefined) {
      call.stream = new MediaStream({
        url,
        bidirectional: terms.stream_bidirectional_mode === 'rtp',
        callControlId: call.id,
        from: call.from,
        to: call.to,
        clientState: call.clientState,
      });
    }
    await this.#tell(call, 'call.answered');
  }

  #add(call: Omit<EmulatedCall, 'id' | 'state' | 'stream'>): EmulatedCall {
    const added: EmulatedCall = {
      ...call,
      id: `v3:${randomUUID().replaceAll('-', '')}`,
      state: 'ringing',
      stream: undefined,
    };
    this.all.push(added);
    return added;
  }

  #require(id: string): EmulatedCall {
    const call = this.all.find((each) => each.id === id);
    if (!call) throw notFound();
    return call;
  }

  #repeated({ command_id: id }: Body): string | undefined {
    if (typeof id !== 'string') return undefined;
    if (this.#seenCommands.has(id)) return id;
    this.#seenCommands.add(id);
    return undefined;
  }

  #resource(call: EmulatedCall): object {
    return {
      record_type: 'call',
      call_control_id: call.id,
      call_leg_id: call.id,
      call_session_id: call.id,
      is_alive: true,
      client_state: call.clientState ?? null,
    };
  }

  #tell(call: EmulatedCall, type: string, payload: object = {}): Promise<void> {
    return this.webhooks.event(type, {
      call_control_id: call.id,
      connection_id: this.connectionId,
      call_leg_id: call.id,
      call_session_id: call.id,
      client_state: call.clientState ?? null,
      direction: call.direction,
      from: call.from,
      to: call.to,
      state: call.state,
      ...payload,
    });
  }
}

function only(body: Body, known: ReadonlySet<string>): void {
  const strange = Object.keys(body).find((name) => !known.has(name));
  if (strange !== undefined) throw invalid(`${strange} is not emulated`);
  state(body);
}

function e164(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || !E164.test(value)) throw invalid(`${name} must be in +E164 format`);
  return value;
}

function state({ client_state: value }: Body): string | undefined {
  if (value === undefined) return undefined;
  const isBase64 = typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
  if (!isBase64) throw invalid('client_state must be a valid Base-64 encoded string');
  return value;
}

function readStream(body: Body): string | undefined {
  const { stream_url: url, stream_track: track, stream_bidirectional_codec: codec } = body;
  if (url === undefined) return undefined;
  if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) throw invalid('stream_url must be ws or wss');
  if (track !== undefined && !['inbound_track', 'outbound_track', 'both_tracks'].includes(String(track))) {
    throw invalid('stream_track');
  }
  if (codec !== undefined && codec !== 'PCMU') throw invalid('only PCMU is emulated');
  return url;
}
