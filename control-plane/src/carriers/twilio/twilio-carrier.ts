import twilio from 'twilio';
import type { AllowedCheck } from '../../compliance/allowed-check.js';
import {
  type Carrier,
  type CarrierCallback,
  type CarrierCallState,
  CarrierFailure,
  type CarrierName,
  type CarrierNews,
  type DialRequest,
} from '../port.js';
import { carrierCallStatus, readTwilioCallback } from './callback.js';
import { hasAlreadyEnded, isNotFound, twilioFailure } from './failures.js';
import { type TwilioAccount, twilioRestClient } from './rest-client.js';

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

/** The answer's instructions: open the media stream, with the one-time token as its parameter. */
export function streamTwiml(streamUrl: string, callId: string, token: string): string {
  const response = new twilio.twiml.VoiceResponse();
  const stream = response.connect().stream({ url: streamUrl });
  stream.parameter({ name: 'call_id', value: callId });
  stream.parameter({ name: 'token', value: token });
  return response.toString();
}

/** Call control over Twilio's REST API (2010-04-01). */
export class TwilioCarrier implements Carrier {
  readonly name: CarrierName;
  readonly link: Carrier['link'];
  readonly #client: twilio.Twilio;
  readonly #authToken: string;

  constructor(options: TwilioCarrierOptions) {
    this.name = options.name;
    this.link = {
      name: options.name,
      protocol: 'twilio',
      ...(options.captionsUrl === undefined ? {} : { captions_url: options.captionsUrl }),
    };
    this.#client = twilioRestClient(options.account, options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
    this.#authToken = options.account.authToken;
  }

  async dial(
    request: DialRequest,
    admitted: AllowedCheck,
    signal: AbortSignal,
  ): Promise<{ carrierCallId: string }> {
    if (admitted.toNumber !== request.to) {
      throw new CarrierFailure('failed', 'check_mismatch', 'The compliance check is for another number.');
    }
    if (signal.aborted) throw new CarrierFailure('not_dialed', 'aborted', 'Nobody waits for this call.');
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

  readCallback(kind: CarrierNews['kind'], callback: CarrierCallback): CarrierNews {
    return readTwilioCallback(kind, callback, this.#authToken);
  }
}
