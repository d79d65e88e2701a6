import { randomInt } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { SANDBOX_CALLER_ID, testNumber } from '@voice/shared/contracts/test-numbers';
import type { TenantId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { SecretsKeys } from '../../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../../platform/secrets/signing-keys.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../carriers/carriers.js';
import { CarrierFailure } from '../carriers/port.js';
import type { CodeQuota, CountedCode } from './code-quota.js';
import { type AllowedCountries, REFUSAL_TEXTS, refusalOfDestination } from './destinations.js';
import type { VerificationChannel, VerificationModel, VerificationRow } from './model.js';

/** For how long a code is good, in ms. */
const CODE_LIFE_MS = 10 * 60_000;
/** How often a code may be tried. */
const ATTEMPTS = 5;
/** How many codes go to one number in an hour, and how far apart, in ms. */
const CODES_PER_HOUR = 5;
const RESEND_AFTER_MS = 30_000;
const HOUR_MS = 3_600_000;
const CARRIER_TIMEOUT_MS = 10_000;
const SANDBOX_CODE_BY_VOICE =
  'In the sandbox a code is spoken to carrier test numbers only. Choose one of them, or `sms`, or a production key.';

/** Whose number it is to be; what a sandbox key verifies counts in the sandbox alone. */
export interface CodeOwner {
  readonly tenant: TenantId;
  readonly sandbox: boolean;
}

/** Who confirms a code. */
export interface Caller extends CodeOwner {
  /** Null where the credential does not say. */
  readonly userId: string | null;
}

export interface Stamped {
  readonly phoneIds: readonly string[];
  /** Whether a user's record was stamped. */
  readonly user: boolean;
}

export interface VerificationsOptions {
  readonly verifications: VerificationModel;
  readonly carriers: Carriers;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
  readonly quota: Pick<CodeQuota, 'take'>;
  /** Where real codes of the tenant may go. */
  readonly allowedCountries: (tenant: TenantId) => Promise<AllowedCountries>;
  /** The installation's own number that codes come from. */
  readonly from: string | undefined;
  readonly secretsKeys: SecretsKeys;
  /** Notes that the number is the tenant's and the caller's; must be safe to repeat. */
  readonly stamp: (caller: Caller, number: string, at: Date) => Promise<Stamped>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shows by a six-digit code over SMS or a call that a number is the tenant's. */
export class Verifications {
  readonly #options: VerificationsOptions;
  readonly #keys: SigningKeys;

  constructor(options: VerificationsOptions) {
    this.#options = options;
    this.#keys = new SigningKeys(options.secretsKeys, 'verification codes');
  }

  /**
   * Sends a new code, which replaces the one before. Throws 429 `rate_limited` when too many went to the number;
   * outside of the sandbox also 402 for a tenant that may not spend, 403 `verification_destination_refused`, and
   * 429 `verification_limit_reached`; in it 403 `sandbox_number_required` for a call to somebody who is not simulated.
   */
  async start(owner: CodeOwner, number: string, channel: VerificationChannel): Promise<{ expiresAt: Date }> {
    const { carriers, from, clock, log } = this.#options;
    const { tenant, sandbox } = owner;
    if (!sandbox) await this.#admit(tenant, number);
    else if (channel === 'voice' && !testNumber(number)) {
      throw apiError('sandbox_number_required', SANDBOX_CODE_BY_VOICE);
    }
    const carrier = sandbox ? carriers.require('simulated') : carriers.requireForCodes(channel);
    const sender = sandbox ? SANDBOX_CALLER_ID : from;
    if (sender === undefined) throw apiError('carrier_error', 'No number to send codes from is configured.');
    const now = clock.now();
    const code = randomInt(1_000_000).toString().padStart(6, '0');
    const counted = sandbox ? undefined : await this.#options.quota.take(tenant, number);
    await this.#write(owner, number, code, now).catch(undone(counted));
    try {
      await carrier.sendCode(
        channel,
        { from: sender, to: number, code },
        AbortSignal.timeout(CARRIER_TIMEOUT_MS),
      );
    } catch (error) {
      if (!(error instanceof CarrierFailure)) throw error;
      if (error.kind === 'not_dialed') await counted?.giveBack();
      throw apiError(error.kind === 'unknown' ? 'carrier_timeout' : 'carrier_error', undefined, {
        cause: error,
      });
    }
    log.info({ tenant, number: maskPhoneNumber(number), channel }, 'verification code sent');
    return { expiresAt: new Date(now + CODE_LIFE_MS) };
  }

  /** Stamps the number when the code is right. The try is counted before it is looked at. */
  async confirm(caller: Caller, number: string, code: string): Promise<Stamped & { verifiedAt: Date }> {
    const { verifications, stamp, clock } = this.#options;
    const _id = idOf(caller, number);
    const counted = await verifications
      .findOneAndUpdate(
        { _id, attempts: { $lt: ATTEMPTS } },
        { $inc: { attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<VerificationRow>();
    if (!counted) {
      const spent = await verifications.exists({ _id });
      throw apiError(spent ? 'verification_attempts_exceeded' : 'verification_not_found');
    }
    const now = clock.now();
    if (counted.code_hash === '') throw apiError('verification_not_found');
    if (counted.expires_at.getTime() <= now) throw apiError('verification_expired');
    if (!this.#keys.verify(Buffer.from(counted.code_hash, 'hex'), hashedText(caller, number, code))) {
      throw apiError('verification_code_wrong', undefined, {
        fields: { attempts_left: ATTEMPTS - counted.attempts },
      });
    }
    const verifiedAt = new Date(now);
    const stamped = await stamp(caller, number, verifiedAt);
    // After the stamps: a crash in between lets the same code be confirmed again. The sending times stay.
    await verifications.updateOne(
      { _id, code_hash: counted.code_hash },
      { $set: { code_hash: '', attempts: 0 } },
    );
    return { ...stamped, verifiedAt };
  }

  /** Before anything is sent that costs, and that may go to somebody who earns by it. */
  async #admit(tenant: TenantId, number: string): Promise<void> {
    const { admitSpending, allowedCountries } = this.#options;
    await admitSpending({ tenant, sandbox: false });
    const reason = refusalOfDestination(number, await allowedCountries(tenant));
    if (reason === null) return;
    throw apiError('verification_destination_refused', REFUSAL_TEXTS[reason], { fields: { reason } });
  }

  /** One conditional update, so that requests at the same moment send one code. */
  async #write(owner: CodeOwner, number: string, code: string, now: number): Promise<void> {
    const { verifications } = this.#options;
    const _id = idOf(owner, number);
    const before = await verifications.findOne({ _id }).lean<VerificationRow>();
    const recent = (before?.sent_at ?? []).filter((at) => at.getTime() > now - HOUR_MS);
    const last = recent.at(-1)?.getTime() ?? Number.NEGATIVE_INFINITY;
    const waitMs =
      recent.length >= CODES_PER_HOUR ? recent[0]!.getTime() + HOUR_MS - now : last + RESEND_AFTER_MS - now;
    if (waitMs > 0) {
      throw apiError('rate_limited', 'A code was sent to this number just now, or too many were.', {
        retryable: true,
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    }
    const fresh = {
      tenant_id: owner.tenant,
      code_hash: this.#keys.sign(hashedText(owner, number, code)).toString('hex'),
      attempts: 0,
      expires_at: new Date(now + CODE_LIFE_MS),
      sent_at: [...recent, new Date(now)],
      forget_at: new Date(now + HOUR_MS + CODE_LIFE_MS),
    };
    try {
      const written = await verifications.updateOne(
        before ? { _id, sent_at: before.sent_at } : { _id, sent_at: { $exists: false } },
        { $set: fresh },
        { upsert: before === null },
      );
      if (written.matchedCount + written.upsertedCount === 1) return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    // Another request was faster; its code is on its way.
    throw apiError('rate_limited', 'A code is being sent to this number.', {
      retryable: true,
      retryAfterSeconds: RESEND_AFTER_MS / 1000,
    });
  }
}

/** Returns what the stored hash of a code is made of: a code is good for its owner and its number alone. */
const hashedText = (owner: CodeOwner, number: string, code: string) => `${idOf(owner, number)}\n${code}`;

function idOf({ tenant, sandbox }: CodeOwner, number: string): string {
  return `${tenant}:${sandbox ? 'sandbox' : 'live'}:${number}`;
}

/** Gives back what was counted for a code that is not sent, and passes the failure on. */
function undone(counted: CountedCode | undefined): (error: unknown) => Promise<never> {
  return async (error) => {
    await counted?.giveBack();
    throw error;
  };
}
