import type { KeyObject } from 'node:crypto';
import { CARRIERS, type TelnyxCodec } from '@voice/shared/catalogue/carriers';
import { derivedId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { AllowedCheck } from '../allowed-check.js';
import {
  type Carrier,
  type CarrierCallback,
  type CarrierCallState,
  CarrierFailure,
  type CarrierNumbers,
  type CodeMessage,
  type ColdTransfer,
  type DialRequest,
  type HumanLeg,
  type InboundAnswer,
  LONGEST_TRANSFERRED_TALK_SECONDS,
} from '../port.js';
import { spokenCode, writtenCode } from '../verification-code-text.js';
import { type ClientState, encodeClientState } from './client-state.js';
import { TelnyxNumbers } from './numbers.js';
import { hasEnded, isNotFound, type TelnyxAccount, TelnyxRestClient } from './rest-client.js';
import { streamState, streamTerms } from './stream-terms.js';
import { readTelnyxEvent, type TelnyxEvent, telnyxPublicKey } from './webhook.js';

const REQUEST_TIMEOUT_MS = 10_000;
/** So that a command which is sent twice is carried out once (`command_id`). */
const COMMAND_NAMESPACE = '6f1c1f0e-2f5f-4c07-9f3b-5f0e7d1c9a55';

const dialed = z.object({ call_control_id: z.string().min(1) });
const callStatus = z.object({ is_alive: z.boolean(), call_duration: z.number().nullish() });

/** Call control over Telnyx's Call Control API v2. */
export class TelnyxCarrier implements Carrier {
  readonly name = 'telnyx';
  readonly link: Carrier['link'];
  /** Telnyx ignores a command with a `command_id` that it has seen for the call. */
  readonly repeatable = CARRIERS.telnyx.capabilities.repeatableCommands;
  readonly numbers: CarrierNumbers;
  readonly #client: TelnyxRestClient;
  readonly #connectionId: string;
  readonly #codec: TelnyxCodec;
  readonly #publicKey: KeyObject;

  constructor(account: TelnyxAccount, requestTimeoutMs = REQUEST_TIMEOUT_MS) {
    this.#client = new TelnyxRestClient(account, requestTimeoutMs);
    this.#connectionId = account.connectionId;
    this.#codec = account.codec;
    this.link = { name: 'telnyx', protocol: CARRIERS.telnyx.protocol, ...streamState(account.codec) };
    this.#publicKey = telnyxPublicKey(account.publicKey);
    this.numbers = new TelnyxNumbers(this.#client, account.connectionId);
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
    const detection = {
      off: {},
      detect: { answering_machine_detection: 'detect' },
      wait_for_beep: { answering_machine_detection: 'greeting_end' },
    }[request.machineDetection];
    return this.#dial(
      {
        to: request.to,
        from: request.from,
        timeout_secs: request.ringTimeoutSeconds,
        stream_url: request.streamUrl,
        ...streamTerms(this.#codec),
        ...detection,
      },
      { call_id: request.callId, token: request.streamToken, ...streamState(this.#codec) },
      `dial:${request.callId}:${request.streamToken}`,
      signal,
    );
  }

  async hangUp(carrierCallId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#command(carrierCallId, 'hangup', {}, 'hangup', signal);
    } catch (error) {
      if (!hasEnded(error)) throw error;
    }
  }

  async callState(carrierCallId: string, signal: AbortSignal): Promise<CarrierCallState | null> {
    try {
      const call = await this.#client.request(
        'GET',
        `/calls/${encodeURIComponent(carrierCallId)}`,
        callStatus,
        undefined,
        signal,
      );
      // Telnyx does not distinguish ringing from talking here; an answer is reported by webhook and by the stream.
      if (call.is_alive) return { carrierCallId, status: 'ringing', durationMs: null };
      const seconds = call.call_duration ?? null;
      return { carrierCallId, status: 'completed', durationMs: seconds === null ? null : seconds * 1000 };
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async transfer({ transferId, carrierCallId, from, to }: ColdTransfer, signal: AbortSignal): Promise<void> {
    // When nobody takes it, the caller's leg stays up: the new leg must name the call it belongs to.
    const target_leg_client_state = encodeClientState({ brought_from: carrierCallId });
    const body = { to, from, target_leg_client_state, time_limit_secs: LONGEST_TRANSFERRED_TALK_SECONDS };
    await this.#command(carrierCallId, 'transfer', body, `transfer:${transferId}`, signal);
  }

  /** Says a last word to somebody who is still on the line; the call ends when it was said. */
  async dismiss(carrierCallId: string, text: string, signal: AbortSignal): Promise<void> {
    const client_state = encodeClientState({ say: text });
    try {
      await this.#speak(carrierCallId, text, { client_state }, signal);
    } catch (error) {
      if (!hasEnded(error)) throw error;
    }
  }

  /** The human hears the briefing when they answer: the client state carries it. */
  async ringHuman(leg: HumanLeg, signal: AbortSignal): Promise<{ legId: string }> {
    const { carrierCallId } = await this.#dial(
      {
        to: leg.to,
        from: leg.from,
        timeout_secs: leg.ringTimeoutSeconds,
        answering_machine_detection: 'detect',
      },
      { transfer_id: leg.transferId, say: leg.briefing },
      `ring:${leg.transferId}`,
      signal,
    );
    return { legId: carrierCallId };
  }

  async join(
    { transferId, carrierCallId, legId }: { transferId: string; carrierCallId: string; legId: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#command(legId, 'bridge', { call_control_id: carrierCallId }, `join:${transferId}`, signal);
  }

  async sendCode(
    channel: 'sms' | 'voice',
    { from, to, code }: CodeMessage,
    signal: AbortSignal,
  ): Promise<void> {
    if (channel === 'sms') {
      await this.#client.request(
        'POST',
        '/messages',
        z.unknown(),
        { from, to, text: writtenCode(code) },
        signal,
      );
      return;
    }
    await this.#dial({ to, from }, { say: spokenCode(code) }, undefined, signal);
  }

  /** Verifies and reads a webhook; `now` in epoch ms. */
  readEvent(callback: CarrierCallback, now: number): TelnyxEvent {
    return readTelnyxEvent(callback, this.#publicKey, now);
  }

  async answerInbound(carrierCallId: string, answer: InboundAnswer, signal: AbortSignal): Promise<void> {
    switch (answer.kind) {
      case 'stream':
        await this.#command(
          carrierCallId,
          'answer',
          {
            stream_url: answer.streamUrl,
            ...streamTerms(this.#codec),
            client_state: encodeClientState({
              call_id: answer.callId,
              token: answer.streamToken,
              ...streamState(this.#codec),
            }),
          },
          `answer:${answer.streamToken}`,
          signal,
        );
        return;
      case 'say':
        await this.#command(
          carrierCallId,
          'answer',
          { client_state: encodeClientState({ say: answer.text }) },
          'answer:say',
          signal,
        );
        return;
      case 'hang_up':
        await this.hangUp(carrierCallId, signal);
        return;
    }
  }

  async speak(carrierCallId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#speak(carrierCallId, text, {}, signal);
  }

  async #speak(carrierCallId: string, text: string, more: object, signal: AbortSignal): Promise<void> {
    const body = { payload: text, voice: 'female', language: 'en-US', ...more };
    await this.#command(carrierCallId, 'speak', body, `speak:${text}`, signal);
  }

  async #dial(
    fields: object,
    state: ClientState,
    occasion: string | undefined,
    signal: AbortSignal,
  ): Promise<{ carrierCallId: string }> {
    const body = {
      connection_id: this.#connectionId,
      ...fields,
      client_state: encodeClientState(state),
      ...(occasion === undefined ? {} : { command_id: derivedId(COMMAND_NAMESPACE, occasion) }),
    };
    const call = await this.#client.request('POST', '/calls', dialed, body, signal);
    return { carrierCallId: call.call_control_id };
  }

  async #command(
    carrierCallId: string,
    action: string,
    fields: object,
    occasion: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#client.request(
      'POST',
      `/calls/${encodeURIComponent(carrierCallId)}/actions/${action}`,
      z.unknown(),
      { ...fields, command_id: derivedId(COMMAND_NAMESPACE, `${carrierCallId}:${occasion}`) },
      signal,
    );
  }
}
