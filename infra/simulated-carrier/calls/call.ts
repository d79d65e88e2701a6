import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import { CallCaptions } from '../captions/captions.js';
import { Line } from '../media/line.js';
import { Person } from '../people/person.js';
import type { PersonScript } from '../people/script.js';
import { notInProgress } from '../requests/errors.js';
import type { CallbackEvent, CallUpdate, DialRequest } from '../requests/requests.js';
import type { Verb } from '../twiml/twiml.js';
import { CallbackSender } from './callbacks.js';
import type { Exchange } from './exchange.js';
import { fetchDocument } from './inbound-document.js';
import { MachineDetection } from './machine-detection.js';
import { type CallResource, callResource, rfc2822 } from './resource.js';
import { sid } from './sid.js';
import type { CallStatus } from './status.js';
import { runDial, runVerb } from './verbs.js';

/** From the request to the first progress, and from there to ringing, in ms. */
const SETUP_MS = 30;
/** How long a call without media lasts, in ms. */
const SHORT_CALL_MS = 500;

export interface CallOptions {
  readonly request: DialRequest;
  /** What the person does who is called. */
  readonly script: PersonScript;
  readonly exchange: Exchange;
}

/** One call from its dial to its end, on the carrier's side. */
export class Call {
  readonly sid = sid('CA');
  readonly captions = new CallCaptions();
  readonly request: DialRequest;
  readonly #script: PersonScript;
  readonly #exchange: Exchange;
  readonly #log: Log;
  readonly #callbacks: CallbackSender;
  readonly #detection: MachineDetection;
  /** Aborts with the status that the call ends with. */
  readonly #over = new AbortController();
  readonly #created: number;
  #status: CallStatus = 'queued';
  #answeredAt: number | undefined;
  #endedAt: number | undefined;
  #sequence = 0;
  #document = new AbortController();
  #redirect: readonly Verb[] | undefined;
  #person: Person | undefined;
  readonly #said: string[] = [];

  constructor({ request, script, exchange }: CallOptions) {
    this.request = request;
    this.#script = script;
    this.#exchange = exchange;
    this.#created = exchange.clock.now();
    this.#log = exchange.log.child({ call_sid: this.sid, to: maskPhoneNumber(request.to) });
    const { authToken, clock, signal } = exchange;
    this.#callbacks = new CallbackSender({ authToken, clock, log: this.#log, signal });
    this.#detection = new MachineDetection({
      asked: request.machineDetection,
      callSid: this.sid,
      exchange,
      callbacks: this.#callbacks,
    });
  }

  get status(): CallStatus {
    return this.#status;
  }

  get ended(): boolean {
    return this.#endedAt !== undefined;
  }

  /** What the voicemail has recorded, mu-law at 8,000 Hz. */
  get recording(): Uint8Array {
    return this.#person?.recording ?? new Uint8Array(0);
  }

  /** The texts that `Say` spoke to the person, in order. */
  get said(): readonly string[] {
    return this.#said;
  }

  get resource(): CallResource {
    return callResource({
      sid: this.sid,
      accountSid: this.#exchange.accountSid,
      to: this.request.to,
      from: this.request.from,
      direction: this.#direction,
      status: this.#status,
      createdAt: this.#created,
      answeredAt: this.#answeredAt,
      endedAt: this.#endedAt,
      answeredBy: this.#detection.answeredBy,
    });
  }

  /** Runs the call; resolves when it is over and its callbacks are delivered. Never rejects. */
  async run(): Promise<void> {
    let end: CallStatus = 'failed';
    try {
      end = await this.#toEnd();
    } catch (error) {
      if (this.#over.signal.aborted) end = this.#over.signal.reason as CallStatus;
      else this.#log.error({ err: String(error) }, 'call failed');
    }
    this.#finish(end);
    await this.#callbacks.idle;
  }

  /** Carries out a REST update; throws `RestError`. */
  update(update: CallUpdate): void {
    if (this.ended) throw notInProgress();
    if (update.change === 'redirect') {
      if (this.#status !== 'in-progress') throw notInProgress();
      this.#redirect = update.twiml;
      this.#document.abort();
      return;
    }
    const answered = this.#status === 'in-progress';
    // `canceled` ends only what was not answered; before the answer there is nothing to complete.
    if (update.status === 'canceled' && answered) throw notInProgress();
    this.hangUp(answered ? 'completed' : 'canceled');
  }

  /** Lets the person press keys; throws `RestError` unless the call is answered. */
  press(keys: string): void {
    if (this.#status !== 'in-progress' || !this.#person) throw notInProgress();
    this.#person.press(keys);
  }

  hangUp(status: CallStatus): void {
    this.#over.abort(status);
  }

  async #toEnd(): Promise<CallStatus> {
    const { pickup } = this.#script;
    const over = AbortSignal.any([this.#over.signal, this.#exchange.signal]);
    if (this.request.voiceUrl !== undefined) return this.#callIn(this.request.voiceUrl, over);
    const wait = (ms: number) => this.#exchange.clock.sleep(ms, over);
    await wait(SETUP_MS);
    this.#progress('initiated', 'initiated');
    await wait(SETUP_MS);
    if (pickup.pickup === 'fails') return 'failed';
    this.#progress('ringing', 'ringing');
    const ringMs = pickup.pickup === 'never' ? Number.POSITIVE_INFINITY : pickup.ringMs;
    const timeoutMs = this.request.timeoutSeconds * 1000;
    await wait(Math.min(ringMs, timeoutMs));
    if (pickup.pickup === 'busy') return 'busy';
    if (pickup.pickup === 'never' || ringMs > timeoutMs) return 'no-answer';
    const canSpeak = this.#exchange.phrasebook.then(() => true);
    const patience = wait(timeoutMs - ringMs).then(() => false);
    if (!(await Promise.race([canSpeak, patience]))) return 'no-answer';
    this.#answeredAt = this.#exchange.clock.now();
    this.#progress('in-progress', 'answered');
    this.#detection.start(pickup.answeredBy, this.#over.signal);
    if (!this.#exchange.media) await wait(SHORT_CALL_MS);
    else await this.#converse(over);
    return 'completed';
  }

  /** Runs a call of the person to a bought number, whose owner answers with TwiML. */
  async #callIn(voiceUrl: string, over: AbortSignal): Promise<CallStatus> {
    const { authToken, clock, media, phrasebook } = this.#exchange;
    this.#status = 'ringing';
    const document = await fetchDocument(voiceUrl, authToken, this.#parameters('ringing'), over);
    if (media) await phrasebook;
    this.#answeredAt = clock.now();
    this.#progress('in-progress', 'answered');
    if (media) await this.#converse(over, document);
    else await clock.sleep(SHORT_CALL_MS, over);
    return 'completed';
  }

  /** Runs the TwiML, and what replaces it, until nothing is left to do. */
  async #converse(over: AbortSignal, first = this.request.twiml): Promise<void> {
    const { createSpeechDetector, ticker } = this.#exchange;
    const person = new Person({
      script: this.#script,
      phrasebook: await this.#exchange.phrasebook,
      speechDetector: createSpeechDetector(),
    });
    this.#person = person;
    const line = new Line({
      person,
      captions: this.captions,
      ticker,
      events: {
        onHangUp: () => this.hangUp('completed'),
        onBeep: () => this.#detection.beep(),
      },
    });
    try {
      let document: readonly Verb[] | undefined = first;
      while (document && !over.aborted) {
        this.#document = new AbortController();
        await this.#runDocument(document, line, AbortSignal.any([over, this.#document.signal]));
        document = this.#redirect;
        this.#redirect = undefined;
      }
    } finally {
      person.close();
    }
    over.throwIfAborted();
  }

  async #runDocument(document: readonly Verb[], line: Line, signal: AbortSignal): Promise<void> {
    const context = {
      accountSid: this.#exchange.accountSid,
      callSid: this.sid,
      line,
      people: this.#exchange.people,
      localVoice: this.#exchange.localVoice,
      conferences: this.#exchange.conferences,
      network: this.request.network ?? this.#exchange.network,
      clock: this.#exchange.clock,
      log: this.#log,
    };
    for (const verb of document) {
      if (signal.aborted || verb.verb === 'hangup') return;
      if (verb.verb === 'say') this.#said.push(verb.text);
      if (verb.verb === 'redirect') {
        const parameters = this.#parameters(this.#status);
        this.#redirect = await fetchDocument(verb.url, this.#exchange.authToken, parameters, signal);
        return;
      }
      if (verb.verb !== 'dial') {
        await runVerb(verb, context, signal);
        continue;
      }
      const status = await runDial(verb.number, context, signal);
      if (verb.action === undefined || signal.aborted) continue;
      const parameters = { ...this.#parameters(this.#status), DialCallStatus: status };
      this.#redirect = await fetchDocument(verb.action, this.#exchange.authToken, parameters, signal);
      return;
    }
  }

  #finish(status: CallStatus): void {
    this.#endedAt = this.#exchange.clock.now();
    this.#over.abort(status);
    this.captions.end();
    this.#progress(status, 'completed');
    this.#log.info({ status, duration_s: this.resource.duration }, 'call ended');
  }

  #progress(status: CallStatus, event: CallbackEvent): void {
    this.#status = status;
    const target = this.request.status;
    const sequence = this.#sequence++;
    if (!target?.events.has(event)) return;
    const parameters: Record<string, string> = {
      ...this.#parameters(status),
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(sequence),
      Timestamp: rfc2822(this.#exchange.clock.now()),
    };
    if (event === 'completed') {
      parameters.CallDuration = this.resource.duration ?? '0';
      parameters.Duration = String(Math.ceil(Number(parameters.CallDuration) / 60));
    }
    this.#callbacks.send({ url: target.url, method: target.method, parameters });
  }

  get #direction(): 'inbound' | 'outbound-api' {
    return this.request.voiceUrl === undefined ? 'outbound-api' : 'inbound';
  }

  #parameters(status: CallStatus): Record<string, string> {
    const { to, from } = this.request;
    return {
      AccountSid: this.#exchange.accountSid,
      ApiVersion: '2010-04-01',
      CallSid: this.sid,
      CallStatus: status,
      Called: to,
      Caller: from,
      Direction: this.#direction,
      From: from,
      To: to,
    };
  }
}
