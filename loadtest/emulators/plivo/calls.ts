import { randomUUID } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import type { Phones } from '../telnyx/phone.js';
import { type Body, type CallRequest, numberIn, readCall, requiredUrl } from './call-body.js';
import { PlivoCallbacks, type SeenCallback } from './callbacks.js';
import { newCall, type PlivoCall } from './emulated-call.js';
import { invalid, notFound } from './errors.js';
import { PlivoStream } from './media.js';
import { InvalidXml, parseResponse, type XmlElement } from './xml.js';

/** When the detection has made up its mind about who answered, in ms after the answer. */
const DETECTION_MS = 800;
/** How long a spoken text takes, in ms a character: faster than anybody speaks, so that nobody waits for it. */
const SPEAKING_MS = 10;
/** How long two who were connected talk, in ms; they are not emulated any further. */
const TALK_MS = 1500;

/** Why a call ended: its CallStatus, and the hangup cause with its code. */
const ENDS = {
  completed: ['Normal Hangup', 4000],
  busy: ['Busy Line', 3010],
  'no-answer': ['No Answer', 3000],
  cancel: ['Cancelled', 1000],
  failed: ['Rejected', 3020],
} as const;
type End = keyof typeof ENDS;

/** Calls of one account (plivo.com/docs/voice/api/call, plivo.com/docs/voice/xml). */
export class PlivoCalls {
  readonly all: PlivoCall[] = [];
  /** Answers that Plivo could not run. */
  readonly invalid: string[] = [];
  /** Of the application that our numbers belong to. */
  application: { readonly answerUrl: string; readonly hangupUrl: string } | undefined;
  readonly #callbacks: PlivoCallbacks;
  readonly #answering = new Map<PlivoCall, () => Promise<void>>();

  constructor(
    private readonly account: { readonly authId: string; readonly authToken: string },
    private readonly clock: Clock,
    private readonly phones?: Phones,
    /** Without media, calls are held as if their streams were open. */
    private readonly hasMedia = true,
  ) {
    this.#callbacks = new PlivoCallbacks(account.authToken);
  }

  get callbacks(): readonly SeenCallback[] {
    return this.#callbacks.all;
  }

  dial(body: Body): object {
    const asked = readCall(body);
    // Emulated: nobody has this number.
    if (asked.to === '15005550016') throw invalid('to is not a valid phone number');
    const call = this.#add('outbound', asked);
    void this.#ring(call, asked);
    return { message: 'call fired', request_uuid: call.id, api_id: randomUUID() };
  }

  /** Somebody calls a number of ours. */
  callIn(from: string, to: string): PlivoCall {
    if (!this.application) throw new Error('the application has no address yet');
    const { answerUrl, hangupUrl } = this.application;
    const numbers = { from: from.slice(1), to: to.slice(1) };
    const call = this.#add('inbound', { ...numbers, hangupUrl });
    void this.#answered(call, { answerUrl, machineUrl: undefined });
    return call;
  }

  live(id: string): object {
    const call = this.#find(id);
    if (call.state === 'ended') throw notFound();
    return { call_uuid: id, call_status: call.state, direction: call.direction, api_id: randomUUID() };
  }

  record(id: string): object {
    const call = this.#find(id);
    if (call.state !== 'ended') throw notFound();
    return {
      call_uuid: id,
      answer_time: call.answeredAt === undefined ? null : new Date(call.answeredAt).toISOString(),
      bill_duration: 0,
      hangup_cause_code: call.hangupCause,
      api_id: randomUUID(),
    };
  }

  /** Ends a call that was answered; one that rings is a request, which is cancelled by `cancel`. */
  async end(id: string): Promise<void> {
    const call = this.#find(id);
    if (call.state !== 'in-progress') throw notFound();
    await this.hangUp(call, 'completed');
  }

  async cancel(id: string): Promise<void> {
    const call = this.#find(id);
    if (call.state !== 'ringing') throw notFound();
    await this.hangUp(call, 'cancel');
  }

  /** Gives an answered call a new course. */
  redirect(id: string, body: Body): object {
    const call = this.#find(id);
    if (call.state !== 'in-progress') throw notFound();
    if (body.legs !== 'aleg') throw invalid('legs other than aleg are not emulated');
    const url = requiredUrl(body, 'aleg_url');
    call.course.abort();
    call.stream?.stop();
    call.stream = undefined;
    void this.#ask(call, url);
    return { message: 'transfer executed', call_uuids: [id], api_id: randomUUID() };
  }

  /** The callee of an outgoing call takes it, where no phone does. */
  answer(call: PlivoCall): Promise<void> {
    return this.#answering.get(call)!();
  }

  async hangUp(call: PlivoCall, as: End): Promise<void> {
    if (call.state === 'ended') return;
    const [cause, code] = ENDS[as];
    const answeredAt = call.answeredAt;
    call.state = 'ended';
    call.hangupCause = code;
    call.course.abort();
    call.over.abort();
    call.stream?.stop();
    if (call.hangupUrl !== undefined) {
      const seconds = answeredAt === undefined ? 0 : Math.round((this.clock.now() - answeredAt) / 1000);
      await this.#callbacks.post(call, call.hangupUrl, {
        CallStatus: as,
        Event: 'Hangup',
        HangupCause: cause,
        HangupCauseCode: String(code),
        Duration: String(seconds),
        BillDuration: String(Math.ceil(seconds / 60) * 60),
        TotalCost: (Math.ceil(seconds / 60) * 0.0115).toFixed(5),
      });
    }
    const room = this.all.filter((other) => call.room !== undefined && other.room === call.room);
    for (const other of room) await this.hangUp(other, 'completed');
  }

  close(): void {
    for (const call of this.all) {
      call.state = 'ended';
      call.course.abort();
      call.over.abort();
      call.stream?.stop();
    }
  }

  async #ring(call: PlivoCall, asked: CallRequest): Promise<void> {
    this.#answering.set(call, () => this.#answered(call, asked));
    if (asked.ringUrl !== undefined) {
      await this.#callbacks.post(call, asked.ringUrl, { CallStatus: 'ringing', Event: 'Ring' });
    }
    if (!this.phones) return;
    const { phone } = call;
    const ringMs = phone?.pickup === 'never' ? asked.ringTimeoutMs : (phone?.ringMs ?? 0);
    await this.clock.sleep(Math.min(ringMs, asked.ringTimeoutMs), call.over.signal).catch(() => {});
    if (call.state !== 'ringing') return;
    if (!phone || phone.pickup === 'call_rejected') await this.hangUp(call, 'failed');
    else if (phone.pickup === 'never' || ringMs > asked.ringTimeoutMs) await this.hangUp(call, 'no-answer');
    else if (phone.pickup === 'user_busy') await this.hangUp(call, 'busy');
    else await this.#answered(call, asked);
  }

  async #answered(
    call: PlivoCall,
    { answerUrl, machineUrl }: Pick<CallRequest, 'answerUrl' | 'machineUrl'>,
  ): Promise<void> {
    if (call.state !== 'ringing') return;
    call.state = 'in-progress';
    call.answeredAt = this.clock.now();
    if (machineUrl !== undefined && call.phone) void this.#detect(call, machineUrl);
    await this.#ask(call, answerUrl);
  }

  async #detect(call: PlivoCall, url: string): Promise<void> {
    await this.clock.sleep(DETECTION_MS, call.over.signal).catch(() => {});
    if (call.state !== 'in-progress') return;
    const Machine = String(call.phone?.answeredBy === 'machine');
    await this.#callbacks.post(call, url, { CallStatus: 'in-progress', Event: 'MachineDetection', Machine });
  }

  /** Asks the address what to do, and does it; then the call is over. */
  async #ask(call: PlivoCall, url: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const course = new AbortController();
    call.course = course;
    const fields = { CallStatus: 'in-progress', Event: 'StartApp', ...more };
    const { status, text } = await this.#callbacks.post(call, url, fields);
    if (course.signal.aborted) return;
    try {
      if (status !== 200) throw new InvalidXml(`answered ${status}`);
      for (const element of parseResponse(text)) {
        if (element.name === 'Redirect') return await this.#ask(call, element.text);
        await this.#run(call, element, course.signal);
        if (course.signal.aborted) return;
      }
    } catch (error) {
      if (!(error instanceof InvalidXml)) throw error;
      this.invalid.push(`${new URL(url).pathname}: ${error.message}`);
    }
    await this.hangUp(call, 'completed');
  }

  async #run(call: PlivoCall, element: XmlElement, signal: AbortSignal): Promise<void> {
    switch (element.name) {
      case 'Speak':
        await this.clock.sleep(this.phones ? element.text.length * SPEAKING_MS : 0, signal).catch(() => {});
        if (!signal.aborted) call.heard.push(element.text);
        return;
      case 'Stream':
        await this.#stream(call, element, signal);
        return;
      case 'Dial':
        await this.#bring(call, element, signal);
        return;
      case 'Conference':
        call.room = element.text;
        if (!/^[A-Za-z0-9]+$/.test(element.text)) throw new InvalidXml('a room is letters and digits');
        await this.#meet(call, signal);
        return;
      case 'Hangup':
        await this.hangUp(call, 'completed');
        return;
      default:
        throw new InvalidXml(`<${element.name}> stands alone`);
    }
  }

  async #stream(call: PlivoCall, { attributes, text }: XmlElement, signal: AbortSignal): Promise<void> {
    const { bidirectional, keepCallAlive, contentType, extraHeaders = '' } = attributes;
    if (bidirectional !== 'true' || keepCallAlive !== 'true') throw new InvalidXml('a one-way stream');
    if (contentType !== 'audio/x-mulaw;rate=8000') throw new InvalidXml(`${contentType} is not emulated`);
    if (!/^wss?:\/\/\S+$/.test(text)) throw new InvalidXml('a stream without an address');
    if (extraHeaders.length > 512 || !/^([A-Za-z0-9]+=[A-Za-z0-9]*,?)*$/.test(extraHeaders)) {
      throw new InvalidXml('extraHeaders are letters and digits');
    }
    call.asked = { url: text, extraHeaders };
    if (!this.hasMedia) return untilAborted(signal);
    const person = call.phone?.talk();
    call.over.signal.addEventListener('abort', () => person?.close());
    const terms = { url: text, callId: call.id, accountId: this.account.authId, extraHeaders };
    call.stream = new PlivoStream(terms, this.clock, person, () => void this.hangUp(call, 'completed'));
    await call.stream.closed;
  }

  /** Rings somebody else; `action` is asked what comes when they have talked, or did not answer. */
  async #bring(call: PlivoCall, { attributes, children }: XmlElement, signal: AbortSignal): Promise<void> {
    const number = numberIn({ to: children[0]?.text }, 'to');
    numberIn(attributes, 'callerId');
    if (!/^[1-9]\d*$/.test(attributes.timeLimit ?? '14400')) throw new InvalidXml('timeLimit is in seconds');
    const leg = this.#add('outbound', { from: attributes.callerId!, to: number, hangupUrl: undefined });
    const { phone } = leg;
    const takes = phone?.pickup === 'answers';
    await this.clock.sleep(phone?.ringMs ?? 0, signal).catch(() => {});
    if (takes && !signal.aborted) {
      leg.state = 'in-progress';
      await this.clock.sleep(TALK_MS, signal).catch(() => {});
    }
    await this.hangUp(leg, takes ? 'completed' : 'no-answer');
    if (signal.aborted || attributes.action === undefined) return;
    const DialStatus = takes ? 'completed' : phone?.pickup === 'user_busy' ? 'busy' : 'no-answer';
    await this.#ask(call, attributes.action, { DialStatus });
  }

  async #meet(call: PlivoCall, signal: AbortSignal): Promise<void> {
    const both = this.all.filter(({ room, state }) => room === call.room && state === 'in-progress');
    if (both.length > 1 && this.phones) {
      await this.clock.sleep(TALK_MS, signal).catch(() => {});
      return;
    }
    await untilAborted(signal);
  }

  #add(...terms: [PlivoCall['direction'], Pick<CallRequest, 'from' | 'to' | 'hangupUrl'>]): PlivoCall {
    const call = newCall(...terms, this.phones);
    this.all.push(call);
    return call;
  }

  #find(id: string): PlivoCall {
    const call = this.all.find((one) => one.id === id);
    if (!call) throw notFound();
    return call;
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
