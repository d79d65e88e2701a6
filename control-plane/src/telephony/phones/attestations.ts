import type { TenantId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import type { Attestation, PhoneNumberDocument, PhoneNumberModel } from './model.js';

/** A number as one tenant has it in one mode. */
export interface AttestedNumber {
  readonly tenant: TenantId;
  readonly sandbox: boolean;
  /** E.164 */
  readonly number: string;
}

/**
 * What is known of numbers' STIR/SHAKEN attestation, and from whom. The operator's word counts before the carrier's
 * of our own calls, that before what a purchase implies, and a caller's signalling only where nothing else is known.
 */
export class Attestations {
  readonly #numbers: PhoneNumberModel;
  readonly #log: Log;

  constructor(numbers: PhoneNumberModel, log: Log) {
    this.#numbers = numbers;
    this.#log = log;
  }

  /** Notes how the carrier signed a call of ours from the number. */
  async signedByCarrier(of: AttestedNumber, level: Attestation): Promise<void> {
    await this.#note(of, level, 'carrier', { attestation_source: { $ne: 'operator' } });
  }

  /**
   * Notes how a call that came from the number was signed: only for a number that was brought along, and of which
   * nothing better is known. Anybody can show a number that is not theirs, attested B or C; the next call that is
   * attested A, a new verification, or the operator corrects what such a call says.
   */
  async signedByCaller(of: AttestedNumber, level: Attestation): Promise<void> {
    await this.#note(of, level, 'inbound', {
      source: 'imported',
      $or: [{ attestation: null }, { attestation_source: 'inbound' }],
    });
  }

  /** Sets the operator's word for a number; null takes it back. Returns the number; null where there is none. */
  setByOperator(phoneId: string, level: Attestation | null): Promise<PhoneNumberDocument | null> {
    return this.#numbers
      .findOneAndUpdate(
        { _id: phoneId, state: 'active' },
        { $set: { attestation: level, attestation_source: level === null ? null : 'operator' } },
        { returnDocument: 'after' },
      )
      .lean<PhoneNumberDocument>()
      .exec();
  }

  async #note(
    { tenant, sandbox, number }: AttestedNumber,
    level: Attestation,
    source: 'carrier' | 'inbound',
    where: object,
  ): Promise<void> {
    const changed = await this.#numbers.updateMany(
      { ...where, tenant_id: tenant, sandbox, number, state: 'active', attestation: { $ne: level } },
      { $set: { attestation: level, attestation_source: source } },
    );
    if (changed.modifiedCount === 0) return;
    this.#log.info(
      { tenant, number: maskPhoneNumber(number), attestation: level, source },
      'attestation noted',
    );
  }
}
