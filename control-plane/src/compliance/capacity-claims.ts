import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { type Connection, type Model, Schema } from 'mongoose';
import { isDuplicateKey } from '../http/errors.js';
import { Gathered } from '../store/gathered.js';

/** The right to one call that is about to be stored. */
interface Claim {
  readonly check_id: string;
  readonly at: Date;
}

/** A tenant's claims; every change of them counts one further. */
interface ClaimsRow {
  /** The tenant. */
  _id: string;
  revision: number;
  claims: Claim[];
}

export type CapacityClaimModel = Model<ClaimsRow>;

const claimsSchema = new Schema<ClaimsRow>(
  {
    _id: { type: String, required: true },
    revision: { type: Number, required: true },
    claims: {
      type: [new Schema<Claim>({ check_id: String, at: Date }, { _id: false })],
      required: true,
    },
  },
  { versionKey: false, strict: 'throw' },
);

export function capacityClaimModel(connection: Connection): CapacityClaimModel {
  return connection.model<ClaimsRow>('CapacityClaims', claimsSchema, 'capacity_claims');
}

/** How long a call may take from its check until it is stored, in ms; a claim without a call lapses then. */
export const CLAIM_LIFE_MS = 10_000;

interface Claiming {
  readonly tenant: TenantId;
  readonly checkId: string;
  readonly limit: number;
}

export interface CapacityClaimsOptions {
  readonly claims: CapacityClaimModel;
  /** Counts the tenant's live calls, at most up to `limit`. */
  readonly countLiveCalls: (tenant: TenantId, limit: number) => Promise<number>;
  /** Which of the checks have a call by now, of those that were stored since `since`. */
  readonly checksWithCall: (
    tenant: TenantId,
    checkIds: readonly string[],
    since: Date,
  ) => Promise<readonly string[]>;
  readonly clock: Clock;
}

/**
 * Counts calls that are about to be stored with those that are live, so that calls which are checked at the
 * same moment, on whichever replicas, never get the same place. One conditional write gives places: it holds
 * only if nobody gave any since the claims were read.
 */
export class CapacityClaims {
  readonly #options: CapacityClaimsOptions;
  readonly #claiming = new Gathered<Claiming, number>((claims) => this.#claimAll(claims));

  constructor(options: CapacityClaimsOptions) {
    this.#options = options;
  }

  /** The tenant's calls before this one, live or about to be; where they are below `limit`, it has a place. */
  claim(tenant: TenantId, checkId: string, limit: number): Promise<number> {
    return this.#claiming.add({ tenant, checkId, limit });
  }

  async #claimAll(claims: readonly Claiming[]): Promise<readonly number[]> {
    const before = new Map<string, number>();
    for (const tenant of new Set(claims.map((claim) => claim.tenant))) {
      const own = claims.filter((claim) => claim.tenant === tenant);
      const first = await this.#claimOf(tenant, own);
      for (const [place, { checkId }] of own.entries()) before.set(checkId, first + place);
    }
    return claims.map(({ checkId }) => before.get(checkId)!);
  }

  /** Returns the calls before the first of `wanted`. */
  async #claimOf(tenant: TenantId, wanted: readonly Claiming[]): Promise<number> {
    const { claims, countLiveCalls, checksWithCall, clock } = this.#options;
    const limit = wanted[0]!.limit;
    for (;;) {
      const now = clock.now();
      const since = new Date(now - CLAIM_LIFE_MS);
      const row = await claims.findOne({ _id: tenant }).lean<ClaimsRow>().exec();
      const recent = row?.claims.filter(({ at }) => at > since) ?? [];
      const stored = new Set(
        recent.length === 0
          ? []
          : await checksWithCall(
              tenant,
              recent.map(({ check_id: id }) => id),
              since,
            ),
      );
      const pending = recent.filter(({ check_id: id }) => !stored.has(id));
      // After the claims: a call that is stored in between counts twice rather than never.
      const before = (await countLiveCalls(tenant, limit)) + pending.length;
      const admitted = wanted.slice(0, Math.max(0, limit - before));
      if (admitted.length === 0) return before;
      const given = [
        ...pending,
        ...admitted.map(({ checkId }) => ({ check_id: checkId, at: new Date(now) })),
      ];
      if (await this.#write(tenant, row, given)) return before;
    }
  }

  /** False when others have given places meanwhile. */
  async #write(tenant: TenantId, read: ClaimsRow | null, claims: readonly Claim[]): Promise<boolean> {
    const model = this.#options.claims;
    if (read === null) {
      try {
        await model.create({ _id: tenant, revision: 0, claims: [...claims] });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    }
    const { matchedCount } = await model.updateOne(
      { _id: tenant, revision: read.revision },
      { $set: { claims: [...claims] }, $inc: { revision: 1 } },
    );
    return matchedCount === 1;
  }
}
