import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { type Connection, type Model, Schema } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many codes are sent in a day (UTC). */
interface CodeLimits {
  readonly tenant: number;
  readonly installation: number;
  /** To one number, by whomever. */
  readonly number: number;
}

interface CodeQuotaRow {
  /** What is counted, and its day: `tenant:<id>:2026-01-05`. */
  _id: string;
  count: number;
  forget_at: Date;
}

export type CodeQuotaModel = Model<CodeQuotaRow>;

const codeQuotaSchema = new Schema<CodeQuotaRow>(
  { _id: String, count: { type: Number, required: true }, forget_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'verification_quotas' },
);
codeQuotaSchema.index({ forget_at: 1 }, { expireAfterSeconds: 0 });

export function codeQuotaModel(store: Connection): CodeQuotaModel {
  return store.model<CodeQuotaRow>('VerificationQuota', codeQuotaSchema);
}

export interface CodeQuotaOptions {
  readonly rows: CodeQuotaModel;
  readonly limits: CodeLimits;
  readonly clock: Clock;
}

interface Counter {
  readonly id: string;
  readonly limit: number;
  readonly message: string;
}

/** A code that was counted before it is sent. */
export interface CountedCode {
  /** It was certainly not sent. */
  giveBack(): Promise<void>;
}

/**
 * Counts the codes of a day: for each tenant, for each number, and for the installation. Codes cost money, and
 * calls to numbers that pay their owner are a fraud as old as free calls. Every step is one atomic command, so
 * that all replicas count as one.
 */
export class CodeQuota {
  readonly #options: CodeQuotaOptions;

  constructor(options: CodeQuotaOptions) {
    this.#options = options;
  }

  /** Counts one code to an E.164 number, or throws 429 `verification_limit_reached` and counts nothing. */
  async take(tenant: TenantId, number: string): Promise<CountedCode> {
    const now = this.#options.clock.now();
    const day = new Date(now).toISOString().slice(0, 10);
    const tomorrow = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const taken: Counter[] = [];
    const giveBack = async () => {
      for (const { id } of taken) await this.#options.rows.updateOne({ _id: id }, { $inc: { count: -1 } });
    };
    for (const counter of this.#counters(tenant, number, day)) {
      if (await this.#count(counter, new Date(tomorrow + DAY_MS))) {
        taken.push(counter);
        continue;
      }
      await giveBack();
      throw apiError('verification_limit_reached', counter.message, {
        retryable: true,
        retryAfterSeconds: Math.ceil((tomorrow - now) / 1000),
      });
    }
    return { giveBack };
  }

  #counters(tenant: TenantId, number: string, day: string): readonly Counter[] {
    const { limits } = this.#options;
    return [
      {
        id: `tenant:${tenant}:${day}`,
        limit: limits.tenant,
        message: `A tenant may have ${limits.tenant} codes sent a day (UTC). Try again tomorrow.`,
      },
      {
        id: `number:${number}:${day}`,
        limit: limits.number,
        message: `At most ${limits.number} codes go to one number a day (UTC). Try again tomorrow.`,
      },
      {
        id: `installation:${day}`,
        limit: limits.installation,
        message: 'This installation has sent as many codes as it may today (UTC). Try again tomorrow.',
      },
    ];
  }

  /** Returns whether there was room. */
  async #count({ id, limit }: Counter, forgetAt: Date): Promise<boolean> {
    const room = { _id: id, count: { $lt: limit } };
    const counted = { $inc: { count: 1 } };
    try {
      const first = await this.#options.rows.updateOne(
        room,
        { ...counted, $setOnInsert: { forget_at: forgetAt } },
        { upsert: true },
      );
      return first.matchedCount + first.upsertedCount === 1;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    // It is full, or another request began the day at the same moment.
    return (await this.#options.rows.updateOne(room, counted)).matchedCount === 1;
  }
}
