import { randomUUID } from 'node:crypto';
import { PCMU_8K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import {
  type Body,
  base64,
  checkCommand,
  checkDial,
  e164,
  readStream,
  ringSeconds,
  type StreamRequest,
} from './command-bodies.js';
import { type EmulatedCall, eventOf, resourceOf } from './emulated-call.js';
import { callEnded, invalid, notAnswered, notFound, TelnyxError } from './errors.js';
import { MediaStream } from './media.js';
import type { Phones } from './phone.js';
import type { Webhooks } from './webhooks.js';

/** When the detection has made up its mind about who answered, in ms after the answer. */
const DETECTION_MS = 800;
/** How long a spoken text takes, in ms a character: faster than anybody speaks, so that nobody waits for it. */
const SPEAKING_MS = 10;
/** How long two who were connected talk, in ms; they are not emulated any further. */
const TALK_MS = 1500;

export interface SeenCommand {
  readonly callId: string;
  readonly action: string;
  readonly body: Body;
}

/**
 * Call Control of one connection (developers.telnyx.com, "Call Control"). Numbers have phones that ring and
 * people who talk; without `phones`, phones ring and are answered as the test says.
 */
export class EmulatedCalls {
  readonly all: EmulatedCall[] = [];
  readonly commands: SeenCommand[] = [];
  readonly #seenCommands = new Set<string>();

  constructor(
    private readonly connectionId: string,
    private readonly webhooks: Webhooks,
    private readonly clock: Clock,
    private readonly phones?: Phones,
  ) {}

  dial(body: Body): object {
    checkDial(body);
    if (body.connection_id !== this.connectionId) throw invalid('connection_id is not yours');
    const [to, from] = [e164(body, 'to'), e164(body, 'from')];
    // Emulated: nobody has this number.
    if (to === '+15005550016') throw new TelnyxError(422, '10016', 'Phone number must be in +E164 format');
    const repeated = this.#repeated(body);
    if (repeated) return resourceOf(this.all.find((call) => call.dial.command_id === repeated)!);
    const clientState = base64(body, 'client_state');
    const call = this.#add({ direction: 'outgoing', from, to, dial: body, clientState });
    void this.sendEvent(call, 'call.initiated');
    void this.#ring(call, ringSeconds(body));
    return resourceOf(call);
  }

  resource(id: string): object {
    const call = this.#require(id);
    return { ...resourceOf(call), is_alive: call.state !== 'ended', call_duration: 0 };
  }

  command(id: string, action: string, body: Body): object {
    const call = this.#require(id);
    if (!checkCommand(action, body)) throw notFound();
    if (call.state === 'ended') throw callEnded();
    if (this.#repeated(body)) return { result: 'ok' };
    const answered = call.state === 'answered';
    if (action === 'answer' && (call.direction !== 'incoming' || answered)) {
      throw invalid('the call cannot be answered');
    }
    if (!answered && action !== 'answer' && action !== 'hangup') throw notAnswered();
    const other = action === 'bridge' ? this.#require(String(body.call_control_id)) : undefined;
    if (other && other.state !== 'answered') throw other.state === 'ended' ? callEnded() : notAnswered();
    this.commands.push({ callId: id, action, body });
    call.clientState = base64(body, 'client_state') ?? call.clientState;
    if (action === 'answer') void this.#answered(call, body);
    if (action === 'hangup') void this.hangUp(call, 'normal_clearing');
    if (action === 'speak') void this.#speak(call, String(body.payload));
    if (action === 'transfer') this.#transfer(call, body);
    if (other) void this.#bridge(call, other);
    return { result: 'ok' };
  }

  /** Lets the callee of an outgoing call take it. */
  answer(call: EmulatedCall): Promise<void> {
    return this.#answered(call, call.dial);
  }

  async hangUp(call: EmulatedCall, cause: string): Promise<void> {
    if (call.state === 'ended') return;
    call.state = 'ended';
    call.over.abort();
    call.speaking?.abort();
    call.stream?.stop();
    await this.sendEvent(call, 'call.hangup', { hangup_cause: cause, hangup_source: 'callee' });
    // Without `park_after_unbridge` the other leg ends as well.
    if (call.bridgedWith) await this.hangUp(call.bridgedWith, 'normal_clearing');
    for (const leg of this.all) {
      if (leg.transferOf === call && leg.state === 'ringing') await this.hangUp(leg, 'originator_cancel');
    }
  }

  /** Calls a number of the connection from outside. */
  async callIn(from: string, to: string): Promise<EmulatedCall> {
    const call = this.#add({ direction: 'incoming', from, to, dial: {}, clientState: undefined });
    await this.sendEvent(call, 'call.initiated');
    return call;
  }

  close(): void {
    for (const call of this.all) {
      call.state = 'ended';
      call.over.abort();
      call.stream?.stop();
    }
  }

  /** Rings the phone of an outgoing leg until somebody takes it or nobody does. */
  async #ring(call: EmulatedCall, seconds: number): Promise<void> {
    if (!this.phones) return;
    const { phone } = call;
    const patienceMs = seconds * 1000;
    const ringMs = phone?.pickup === 'never' ? patienceMs : (phone?.ringMs ?? 0);
    await this.clock.sleep(Math.min(ringMs, patienceMs), call.over.signal).catch(() => {});
    if (call.state !== 'ringing') return;
    if (!phone) await this.hangUp(call, 'unallocated_number');
    else if (phone.pickup === 'never' || ringMs > patienceMs) await this.hangUp(call, 'timeout');
    else if (phone.pickup !== 'answers') await this.hangUp(call, phone.pickup);
    else await this.#answered(call, call.dial);
  }

  async #answered(call: EmulatedCall, terms: Body): Promise<void> {
    if (call.state !== 'ringing') return;
    call.state = 'answered';
    const asked = readStream(terms);
    if (asked) call.stream = this.#openStream(call, asked);
    if (call.phone) void this.#detectMachine(call, 'detection');
    await this.sendEvent(call, 'call.answered');
    if (call.transferOf) await this.#bridge(call.transferOf, call);
  }

  #openStream(call: EmulatedCall, asked: StreamRequest): MediaStream {
    const events = {
      onOpen: () => void this.sendEvent(call, 'streaming.started'),
      onClosed: (opened: boolean) =>
        void this.sendEvent(call, opened ? 'streaming.stopped' : 'streaming.failed'),
      onBeep: () => void this.#detectMachine(call, 'greeting'),
      onHangUp: () => void this.hangUp(call, 'normal_clearing'),
    };
    const person = call.phone?.talk();
    call.over.signal.addEventListener('abort', () => person?.close());
    const stream = {
      ...asked,
      sends: asked.sends ?? call.phone?.format ?? PCMU_8K,
      callControlId: call.id,
      from: call.from,
      to: call.to,
      clientState: call.clientState,
    };
    return new MediaStream(stream, events, person, this.clock);
  }

  async #detectMachine(call: EmulatedCall, what: 'detection' | 'greeting'): Promise<void> {
    const asked = call.dial.answering_machine_detection;
    if (asked === undefined || asked === 'disabled') return;
    if (what === 'greeting') {
      const wantsBeep = asked === 'greeting_end' || asked === 'detect_beep';
      if (wantsBeep) await this.sendEvent(call, 'call.machine.greeting.ended', { result: 'beep_detected' });
      return;
    }
    await this.clock.sleep(DETECTION_MS, call.over.signal).catch(() => {});
    if (call.state !== 'answered') return;
    await this.sendEvent(call, 'call.machine.detection.ended', {
      result: call.phone?.answeredBy ?? 'not_sure',
    });
  }

  async #speak(call: EmulatedCall, text: string): Promise<void> {
    call.speaking?.abort();
    const speaking = new AbortController();
    call.speaking = speaking;
    await this.sendEvent(call, 'call.speak.started');
    const ms = this.phones ? text.length * SPEAKING_MS : 0;
    await this.clock.sleep(ms, speaking.signal).catch(() => {});
    if (!speaking.signal.aborted) call.heard.push(text);
    const cut = call.state === 'ended' ? 'call_hangup' : 'cancelled';
    await this.sendEvent(call, 'call.speak.ended', { status: speaking.signal.aborted ? cut : 'completed' });
  }

  /** Rings a new leg; if nobody takes it, the call stays as it is. */
  #transfer(call: EmulatedCall, body: Body): void {
    const leg = this.#add({
      direction: 'outgoing',
      from: body.from === undefined ? call.to : e164(body, 'from'),
      to: e164(body, 'to'),
      dial: {},
      clientState: base64(body, 'target_leg_client_state'),
      transferOf: call,
    });
    void this.sendEvent(leg, 'call.initiated');
    void this.#ring(leg, ringSeconds(body));
  }

  async #bridge(call: EmulatedCall, other: EmulatedCall): Promise<void> {
    for (const [leg, with_] of [
      [call, other],
      [other, call],
    ] as const) {
      leg.bridgedWith = with_;
      leg.speaking?.abort();
      leg.stream?.lose();
    }
    await this.sendEvent(call, 'call.bridged');
    await this.sendEvent(other, 'call.bridged');
    if (!this.phones) return;
    await this.clock.sleep(TALK_MS, call.over.signal).catch(() => {});
    await this.hangUp(call, 'normal_clearing');
  }

  #add(
    call: Pick<EmulatedCall, 'direction' | 'from' | 'to' | 'dial' | 'clientState'> &
      Partial<Pick<EmulatedCall, 'transferOf'>>,
  ): EmulatedCall {
    const added: EmulatedCall = {
      transferOf: undefined,
      ...call,
      id: `v3:${randomUUID().replaceAll('-', '')}`,
      state: 'ringing',
      stream: undefined,
      phone: this.phones?.(call.direction === 'incoming' ? call.from : call.to),
      bridgedWith: undefined,
      heard: [],
      speaking: undefined,
      over: new AbortController(),
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

  /** Sends an event of the call, such as `call.machine.detection.ended`. */
  sendEvent(call: EmulatedCall, type: string, payload: object = {}): Promise<void> {
    return this.webhooks.event(type, { ...eventOf(call, this.connectionId), ...payload });
  }
}
