import type { Clock } from '@voice/shared/clock/clock';
import { type Connection, type Model, Schema } from 'mongoose';
import { isDuplicateKey } from '../platform/http/errors.js';
import { Gathered } from '../platform/store/gathered.js';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';

/** The right to one call that is about to be stored. */
interface Claim {
  readonly check_id: string;
  readonly at: Date;
}

/** A tenant's claims in one mode; every change of them counts one further. */
interface ClaimsRow {
  /** The tenant and the mode. */
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
  readonly scope: TenantScope;
  readonly checkId: string;
  readonly limit: number;
}

export interface CapacityClaimsOptions {
  readonly claims: CapacityClaimModel;
  /** Counts the tenant's live calls, at most up to `limit`. */
  readonly countLiveCalls: (scope: TenantScope, limit: number) => Promise<number>;
  /** Which of the checks have a call by now, of those that were stored since `since`. */
  readonly checksWithCall: (
    scope: TenantScope,
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

  /** Counts the tenant's calls before this one, live or about to be; where they are below `limit`, it has a place. */
  claim(scope: TenantScope, checkId: string, limit: number): Promise<number> {
    return this.#claiming.add({ scope, checkId, limit });
  }

  async #claimAll(claims: readonly Claiming[]): Promise<readonly number[]> {
    const before = new Map<string, number>();
    for (const name of new Set(claims.map(({ scope }) => scopeName(scope)))) {
      const own = claims.filter(({ scope }) => scopeName(scope) === name);
      const first = await this.#claimOf(own[0]!.scope, own);
      for (const [place, { checkId }] of own.entries()) before.set(checkId, first + place);
    }
    return claims.map(({ checkId }) => before.get(checkId)!);
  }

  /** Returns the calls before the first of `wanted`. */
  async #claimOf(scope: TenantScope, wanted: readonly Claiming[]): Promise<number> {
    const { claims, countLiveCalls, checksWithCall, clock } = this.#options;
    const limit = wanted[0]!.limit;
    for (;;) {
      const now = clock.now();
      const since = new Date(now - CLAIM_LIFE_MS);
      const row = await claims
        .findOne({ _id: scopeName(scope) })
        .lean<ClaimsRow>()
        .exec();
      const recent = row?.claims.filter(({ at }) => at > since) ?? [];
      const stored = new Set(
        recent.length === 0
          ? []
          : await checksWithCall(
              scope,
              recent.map(({ check_id: id }) => id),
              since,
            ),
      );
      const pending = recent.filter(({ check_id: id }) => !stored.has(id));
      // After the claims: a call that is stored in between counts twice rather than never.
      const before = (await countLiveCalls(scope, limit)) + pending.length;
      const admitted = wanted.slice(0, Math.max(0, limit - before));
      if (admitted.length === 0) return before;
      const given = [
        ...pending,
        ...admitted.map(({ checkId }) => ({ check_id: checkId, at: new Date(now) })),
      ];
      if (await this.#write(scopeName(scope), row, given)) return before;
    }
  }

  /** Writes the claims. Returns false when others have given places meanwhile. */
  async #write(id: string, read: ClaimsRow | null, claims: readonly Claim[]): Promise<boolean> {
    const model = this.#options.claims;
    if (read === null) {
      try {
        await model.create({ _id: id, revision: 0, claims: [...claims] });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    }
    const { matchedCount } = await model.updateOne(
      { _id: id, revision: read.revision },
      { $set: { claims: [...claims] }, $inc: { revision: 1 } },
    );
    return matchedCount === 1;
  }
}
