import { CARRIERS } from '@voice/shared/catalogue/carriers';
import { z } from 'zod';
import type { AllowedCheck } from '../allowed-check.js';
import {
  type Carrier,
  type CarrierCallState,
  type CarrierCallStatus,
  CarrierFailure,
  type CarrierNumbers,
  type CodeMessage,
  type ColdTransfer,
  type DialRequest,
  type HumanLeg,
} from '../port.js';
import { writtenCode } from '../verification-code-text.js';
import { type PlivoInstruction, SealedInstructions } from './instruction.js';
import { PlivoNumbers } from './numbers.js';
import { isNotFound, type PlivoAccount, PlivoRestClient } from './rest-client.js';
import { digits } from './xml.js';

const REQUEST_TIMEOUT_MS = 10_000;

/** Of a call to one number, Plivo's id of the request is that of the call. */
const fired = z.object({ request_uuid: z.string().min(1) });
const liveCall = z.object({ call_status: z.string() });
const callRecord = z.object({
  answer_time: z.string().nullish(),
  bill_duration: z.coerce.number().nonnegative().nullish(),
  hangup_cause_code: z.coerce.number().nullish(),
});

/** Hangup causes of calls that nobody answered (plivo.com/docs/voice/troubleshooting/hangup-causes-and-sources). */
const UNANSWERED: Readonly<Record<number, CarrierCallStatus>> = {
  1000: 'canceled',
  3000: 'no_answer',
  3010: 'busy',
  6000: 'no_answer',
};

/** Call control over Plivo's REST API v1 and XML: what a call is to do, Plivo asks when it comes to that. */
export class PlivoCarrier implements Carrier {
  readonly name = 'plivo';
  readonly link: Carrier['link'] = { name: 'plivo', protocol: CARRIERS.plivo.protocol };
  readonly repeatable = CARRIERS.plivo.capabilities.repeatableCommands;
  readonly numbers: CarrierNumbers;
  readonly authToken: string;
  readonly instructions: SealedInstructions;
  readonly #client: PlivoRestClient;

  constructor(account: PlivoAccount, requestTimeoutMs = REQUEST_TIMEOUT_MS) {
    this.#client = new PlivoRestClient(account, requestTimeoutMs);
    this.authToken = account.authToken;
    this.instructions = new SealedInstructions(account.authToken);
    this.numbers = new PlivoNumbers(this.#client, account.appId);
  }

  async dial(
    request: DialRequest,
    admitted: AllowedCheck,
    signal: AbortSignal,
  ): Promise<{ carrierCallId: string }> {
    if (admitted.toNumber !== request.to) {
      throw new CarrierFailure('failed', 'check_mismatch', 'The compliance check is for another number.');
    }
    if (signal.aborted) throw new CarrierFailure('not_dialed', 'aborted', 'The dial was cancelled.');
    const ours = { call_id: request.callId };
    const { callbackBaseUrl: base, streamUrl: url, streamToken: token } = request;
    const detection =
      request.machineDetection === 'off'
        ? {}
        : { machine_detection: 'true', machine_detection_url: addressOf(base, 'machine', ours) };
    const id = await this.#call(
      {
        from: digits(request.from),
        to: digits(request.to),
        ring_timeout: request.ringTimeoutSeconds,
        ring_url: addressOf(base, 'status', ours),
        hangup_url: addressOf(base, 'status', ours),
        answer_url: this.#asking(base, { do: 'stream', callId: request.callId, url, token }, ours),
        ...detection,
      },
      signal,
    );
    return { carrierCallId: id };
  }

  /** A call that still rings is a request; one that is over is neither. */
  async hangUp(carrierCallId: string, signal: AbortSignal): Promise<void> {
    const id = encodeURIComponent(carrierCallId);
    for (const path of [`/Call/${id}/`, `/Request/${id}/`]) {
      try {
        await this.#client.request({ method: 'DELETE', path, answer: z.unknown(), signal });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  async callState(carrierCallId: string, signal: AbortSignal): Promise<CarrierCallState | null> {
    const path = `/Call/${encodeURIComponent(carrierCallId)}/`;
    try {
      const answer = liveCall;
      const live = await this.#client.request({ method: 'GET', path: `${path}?status=live`, answer, signal });
      const status = live.call_status === 'in-progress' ? 'answered' : 'ringing';
      return { carrierCallId, status, durationMs: null };
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    try {
      const record = await this.#client.request({ method: 'GET', path, answer: callRecord, signal });
      const unanswered = UNANSWERED[record.hangup_cause_code ?? -1] ?? 'failed';
      const durationMs = record.bill_duration == null ? null : record.bill_duration * 1000;
      return { carrierCallId, status: record.answer_time ? 'completed' : unanswered, durationMs };
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  /** Gives the live call a new course: the media stream ends and the number is dialed. */
  async transfer(
    { carrierCallId, from, to, callbackBaseUrl: base }: ColdTransfer,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#redirect(carrierCallId, base, { do: 'dial', from, to, action: `${base}/dialed` }, signal);
  }

  async ringHuman(leg: HumanLeg, signal: AbortSignal): Promise<{ legId: string }> {
    const ours = { transfer_id: leg.transferId };
    const base = leg.callbackBaseUrl;
    const meet = { do: 'meet', room: roomOf(leg.transferId) } as const;
    const next = this.#asking(base, meet, { ...ours, briefed: '1' });
    const legId = await this.#call(
      {
        from: digits(leg.from),
        to: digits(leg.to),
        ring_timeout: leg.ringTimeoutSeconds,
        hangup_url: addressOf(base, 'status', ours),
        answer_url: this.#asking(base, { do: 'brief', briefing: leg.briefing, next }, ours),
        machine_detection: 'true',
        machine_detection_url: addressOf(base, 'machine', ours),
      },
      signal,
    );
    return { legId };
  }

  /** The human waits in the room of the transfer. */
  async join(
    {
      transferId,
      carrierCallId,
      callbackBaseUrl: base,
    }: {
      transferId: string;
      carrierCallId: string;
      callbackBaseUrl: string;
    },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#redirect(carrierCallId, base, { do: 'meet', room: roomOf(transferId) }, signal);
  }

  async sendCode(
    channel: 'sms' | 'voice',
    { from, to, code }: CodeMessage,
    signal: AbortSignal,
  ): Promise<void> {
    // The catalogue names no other way, so that nobody is sent here for one.
    if (channel !== 'sms')
      throw new CarrierFailure('failed', 'not_offered', 'Codes go by text message alone.');
    const body = { src: digits(from), dst: digits(to), text: writtenCode(code) };
    await this.#client.request({ method: 'POST', path: '/Message/', answer: z.unknown(), body, signal });
  }

  async #call(body: object, signal: AbortSignal): Promise<string> {
    const methods = { answer_method: 'POST', ring_method: 'POST', hangup_method: 'POST' };
    const whole = { ...methods, machine_detection_method: 'POST', ...body };
    const call = await this.#client.request({
      method: 'POST',
      path: '/Call/',
      answer: fired,
      body: whole,
      signal,
    });
    return call.request_uuid;
  }

  async #redirect(
    carrierCallId: string,
    base: string,
    what: PlivoInstruction,
    signal: AbortSignal,
  ): Promise<void> {
    const body = { legs: 'aleg', aleg_url: this.#asking(base, what, {}), aleg_method: 'POST' };
    const path = `/Call/${encodeURIComponent(carrierCallId)}/`;
    await this.#client.request({ method: 'POST', path, answer: z.unknown(), body, signal });
  }

  /** Returns the address at which Plivo asks what to do. */
  #asking(base: string, what: PlivoInstruction, ours: Readonly<Record<string, string>>): string {
    return addressOf(base, 'instructions', { ...ours, sealed: this.instructions.wrap(what) });
  }
}

function addressOf(base: string, path: string, query: Readonly<Record<string, string>>): string {
  return `${base}/${path}?${new URLSearchParams(query)}`;
}

/** Names of rooms are letters and digits. */
function roomOf(transferId: string): string {
  return transferId.replaceAll('-', '');
}
