import { CARRIERS } from '@voice/shared/catalogue/carriers';
import type twilio from 'twilio';
import type { AllowedCheck } from '../allowed-check.js';
import { NOBODY_THERE } from '../left-alone-text.js';
import {
  type Carrier,
  type CarrierCallback,
  type CarrierCallState,
  CarrierFailure,
  type CarrierName,
  type CarrierNumbers,
  type CarrierPrice,
  type CarrierReport,
  type CodeMessage,
  type ColdTransfer,
  type DialRequest,
  type HumanLeg,
  type InboundAnswer,
  type InboundCall,
} from '../port.js';
import { spokenCode, writtenCode } from '../verification-code-text.js';
import {
  carrierCallStatus,
  readTwilioBriefed,
  readTwilioCallback,
  readTwilioDialed,
  readTwilioInbound,
  type TwilioCallbackKind,
} from './callback.js';
import { hasAlreadyEnded, isNotFound, twilioFailure } from './failures.js';
import { TwilioNumbers } from './numbers.js';
import { twilioPrice } from './price.js';
import { type TwilioAccount, twilioRestClient } from './rest-client.js';
import {
  briefingTwiml,
  conferenceTwiml,
  dialTwiml,
  hangUpTwiml,
  inboundTwiml,
  sayTwiml,
  streamTwiml,
} from './twiml.js';

/** How long one request to the carrier may take, in ms. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface TwilioCarrierOptions {
  /** `simulated` is a server of our own that speaks Twilio's API. */
  readonly name: CarrierName;
  readonly account: TwilioAccount;
  /** Only of simulated people: where what they say is published. */
  readonly captionsUrl?: string;
  readonly requestTimeoutMs?: number;
}

/** Call control over Twilio's REST API (2010-04-01). */
export class TwilioCarrier implements Carrier {
  readonly name: CarrierName;
  readonly link: Carrier['link'];
  readonly repeatable: boolean;
  readonly numbers: CarrierNumbers;
  readonly #client: twilio.Twilio;
  readonly #authToken: string;

  constructor(options: TwilioCarrierOptions) {
    this.name = options.name;
    const { protocol, capabilities } = CARRIERS[options.name];
    this.repeatable = capabilities.repeatableCommands;
    this.link = {
      name: options.name,
      protocol,
      ...(options.captionsUrl === undefined ? {} : { captions_url: options.captionsUrl }),
    };
    this.#client = twilioRestClient(options.account, options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
    this.#authToken = options.account.authToken;
    this.numbers = new TwilioNumbers(this.#client);
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
    const query = `?call_id=${request.callId}`;
    const detection = {
      off: {},
      detect: { machineDetection: 'Enable' },
      wait_for_beep: { machineDetection: 'DetectMessageEnd' },
    }[request.machineDetection];
    try {
      const call = await this.#client.calls.create({
        to: request.to,
        from: request.from,
        twiml: streamTwiml(request.streamUrl, request.callId, request.streamToken),
        timeout: request.ringTimeoutSeconds,
        statusCallback: `${request.callbackBaseUrl}/status${query}`,
        statusCallbackMethod: 'POST',
        statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
        ...detection,
        ...(request.machineDetection === 'off'
          ? {}
          : {
              asyncAmd: 'true',
              asyncAmdStatusCallback: `${request.callbackBaseUrl}/amd${query}`,
              asyncAmdStatusCallbackMethod: 'POST',
            }),
      });
      return { carrierCallId: call.sid };
    } catch (error) {
      throw twilioFailure(error);
    }
  }

  async hangUp(carrierCallId: string, _signal: AbortSignal): Promise<void> {
    try {
      await this.#client.calls(carrierCallId).update({ status: 'completed' });
    } catch (error) {
      if (hasAlreadyEnded(error) || isNotFound(error)) return;
      throw twilioFailure(error);
    }
  }

  async callState(carrierCallId: string, _signal: AbortSignal): Promise<CarrierCallState | null> {
    try {
      const call = await this.#client.calls(carrierCallId).fetch();
      const status = carrierCallStatus(call.status);
      if (!status) throw new CarrierFailure('failed', 'unknown_status', `Unknown status ${call.status}.`);
      const seconds = Number.parseInt(call.duration ?? '', 10);
      return { carrierCallId, status, durationMs: Number.isNaN(seconds) ? null : seconds * 1000 };
    } catch (error) {
      if (isNotFound(error)) return null;
      throw twilioFailure(error);
    }
  }

  /** Twilio prices a call some time after its end (twilio.com/docs/voice/api/call-resource, "price"). */
  async price(carrierCallId: string, _signal: AbortSignal): Promise<CarrierPrice> {
    try {
      const { price, priceUnit } = await this.#client.calls(carrierCallId).fetch();
      return twilioPrice(price, priceUnit);
    } catch (error) {
      if (isNotFound(error)) return { kind: 'unknown' };
      throw twilioFailure(error);
    }
  }

  /** New instructions for the live call: the media stream ends and the number is dialed. */
  async transfer(
    { carrierCallId, from, to, callbackBaseUrl }: ColdTransfer,
    _signal: AbortSignal,
  ): Promise<void> {
    await this.#instruct(carrierCallId, dialTwiml(from, to, `${callbackBaseUrl}/dialed`));
  }

  async ringHuman(leg: HumanLeg, _signal: AbortSignal): Promise<{ legId: string }> {
    const query = `?transfer_id=${leg.transferId}`;
    try {
      const call = await this.#client.calls.create({
        to: leg.to,
        from: leg.from,
        twiml: briefingTwiml(leg.briefing, `${leg.callbackBaseUrl}/briefed${query}`),
        timeout: leg.ringTimeoutSeconds,
        machineDetection: 'Enable',
        asyncAmd: 'true',
        asyncAmdStatusCallback: `${leg.callbackBaseUrl}/amd${query}`,
        asyncAmdStatusCallbackMethod: 'POST',
        statusCallback: `${leg.callbackBaseUrl}/transfer${query}`,
        statusCallbackMethod: 'POST',
        statusCallbackEvent: ['answered', 'completed'],
      });
      return { legId: call.sid };
    } catch (error) {
      throw twilioFailure(error);
    }
  }

  /** The human waits in the conference of the transfer. */
  async join(
    { transferId, carrierCallId }: { transferId: string; carrierCallId: string },
    _signal: AbortSignal,
  ): Promise<void> {
    await this.#instruct(carrierCallId, conferenceTwiml(transferId));
  }

  async sendCode(
    channel: 'sms' | 'voice',
    { from, to, code }: CodeMessage,
    _signal: AbortSignal,
  ): Promise<void> {
    try {
      if (channel === 'sms') await this.#client.messages.create({ from, to, body: writtenCode(code) });
      else await this.#client.calls.create({ from, to, twiml: sayTwiml(spokenCode(code)) });
    } catch (error) {
      throw twilioFailure(error);
    }
  }

  /** Verifies and reads a callback; throws 401 `invalid_signature` for what the carrier did not send. */
  readCallback(kind: TwilioCallbackKind, callback: CarrierCallback): CarrierReport {
    return readTwilioCallback(kind, callback, this.#authToken);
  }

  readBriefed(callback: CarrierCallback): Extract<CarrierReport, { kind: 'transfer_leg' }> {
    return readTwilioBriefed(callback, this.#authToken);
  }

  /** Returns the TwiML for a human who has been briefed: they meet the caller, or there is none any more. */
  answerBriefed(transferId: string, goesOn: boolean): string {
    return goesOn ? conferenceTwiml(transferId) : hangUpTwiml();
  }

  readInbound(callback: CarrierCallback): InboundCall {
    return readTwilioInbound(callback, this.#authToken);
  }

  /** Returns the TwiML for a caller after a transfer: the end, with a word before it when nobody took the call. */
  answerDialed(callback: CarrierCallback): string {
    return readTwilioDialed(callback, this.#authToken) ? hangUpTwiml() : sayTwiml(NOBODY_THERE);
  }

  /** Returns the TwiML that the carrier is to run. */
  answerInbound(answer: InboundAnswer): string {
    return inboundTwiml(answer);
  }

  async #instruct(carrierCallId: string, twiml: string): Promise<void> {
    try {
      await this.#client.calls(carrierCallId).update({ twiml });
    } catch (error) {
      throw twilioFailure(error);
    }
  }
}
