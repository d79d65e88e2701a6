import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../../platform/http/errors.js';
import type { CarrierReports } from '../adapter.js';
import { NOBODY_THERE } from '../left-alone-text.js';
import type { CarrierCallback } from '../port.js';
import type { TelnyxCarrier } from './telnyx-carrier.js';
import { meaningOf, type TelnyxMeaning } from './webhook.js';

const CARRIER_TIMEOUT_MS = 10_000;
/** For how long events are remembered against repeats, in s: longer than a signature is good for. */
const REMEMBERED_SECONDS = 3600;

interface ReceiptRow {
  /** Of the event. */
  _id: string;
  received_at: Date;
}

const receiptSchema = new Schema<ReceiptRow>(
  { _id: String, received_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'carrier_receipts' },
);
receiptSchema.index({ received_at: 1 }, { expireAfterSeconds: REMEMBERED_SECONDS });

export interface TelnyxIntakeOptions {
  readonly store: Connection;
  /** Throws 502 `carrier_error` where there is no account. */
  readonly carrier: () => TelnyxCarrier;
  readonly reports: CarrierReports;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Accepts Telnyx's events: verified, and each once. An event is noted when it has had its effect, so that one
 * whose handling died is taken again when Telnyx repeats it; every effect is safe to repeat.
 */
export class TelnyxIntake {
  readonly #options: TelnyxIntakeOptions;
  readonly #receipts;

  constructor(options: TelnyxIntakeOptions) {
    this.#options = options;
    this.#receipts = options.store.model<ReceiptRow>('CarrierReceipt', receiptSchema);
  }

  async accept(callback: CarrierCallback): Promise<void> {
    const { clock } = this.#options;
    const carrier = this.#options.carrier();
    const event = carrier.readEvent(callback, clock.now());
    const receipt = `telnyx:${event.id}`;
    if (await this.#receipts.exists({ _id: receipt })) return;
    for (const meaning of meaningOf(event)) await this.#act(carrier, meaning);
    try {
      await this.#receipts.create({ _id: receipt, received_at: new Date(clock.now()) });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async #act(carrier: TelnyxCarrier, meaning: TelnyxMeaning): Promise<void> {
    const { reports, log } = this.#options;
    const signal = AbortSignal.timeout(CARRIER_TIMEOUT_MS);
    switch (meaning.kind) {
      case 'inbound': {
        const answer = await reports.receive(carrier, meaning.call);
        await carrier.answerInbound(meaning.call.carrierCallId, answer, signal);
        return;
      }
      case 'say':
        await carrier.speak(meaning.carrierCallId, meaning.text, signal);
        return;
      case 'left_alone':
        await carrier.dismiss(meaning.carrierCallId, NOBODY_THERE, signal);
        return;
      case 'said':
        await carrier.hangUp(meaning.carrierCallId, signal);
        return;
      case 'report':
        try {
          await reports.accept(carrier.name, meaning.report);
        } catch (error) {
          // Of a call that nobody here knows; a repeat would change nothing.
          if (!(error instanceof ServiceError) || error.code !== 'call_not_found') throw error;
          log.info({ report: meaning.report.kind }, 'carrier callback for an unknown call');
        }
        return;
    }
  }
}
