import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../../platform/http/pagination.js';
import type { Principal } from '../../platform/http/route.js';
import { totalOf } from '../../platform/http/totals.js';
import { Gathered } from '../../platform/store/gathered.js';
import type { Pace } from '../../platform/store/pacer.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { ownedBy, scopeName, type TenantScope } from '../../platform/store/tenant-scope.js';
import { generateKey, hashKey, modeOfKey } from './key.js';
import { type ApiKeyRow, apiKeyModel } from './model.js';
import type { ApiKeyCreateResponse, ApiKeyListResponse } from './schemas.js';

interface NewKey {
  readonly id: string;
  readonly name: string;
  /** The user who makes it. */
  readonly createdBy: string | null;
}

type KeyOwner = Pick<ApiKeyRow, '_id' | 'name' | 'tenant_id' | 'key_hash' | 'created_by'>;

/** API keys: made, listed, deleted, and recognised on every request. */
/**
 * Beyond some requests at once lookups wait for each other for a moment: what was looked up together also goes on
 * together, so that each later step of these requests is one command, too.
 */
const TOGETHER: Pace = { burst: 20, everyMs: 4 };

interface ApiKeysServiceOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

export class ApiKeysService {
  readonly #keys;
  /** For the one query without a tenant: the query that finds out whose a key is. */
  readonly #allKeys;
  readonly #options: ApiKeysServiceOptions;
  /**
   * Keys that are asked for at the same time are looked up together. Nothing is remembered: a lookup begins
   * after it was asked for, so a key that was deleted on any replica is refused from then on.
   */
  readonly #lookups = new Gathered<string, KeyOwner | null>((hashes) => this.#ownersOf(hashes), TOGETHER);

  constructor(options: ApiKeysServiceOptions) {
    this.#allKeys = apiKeyModel(options.store);
    this.#keys = new ScopedCollection(this.#allKeys);
    this.#options = options;
  }

  /** Makes a key of the scope's mode. The only moment that it is known in plain text. */
  async create(scope: TenantScope, { id, name, createdBy }: NewKey): Promise<ApiKeyCreateResponse> {
    const { plaintext, prefix, hash } = generateKey(scope.sandbox);
    const row: ApiKeyRow = {
      _id: id,
      ...ownedBy(scope),
      name,
      key_hash: hash,
      key_prefix: prefix,
      created_by: createdBy,
      review: null,
      created_at: new Date(this.#options.clock.now()),
    };
    try {
      await this.#keys.insert(scope, row);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // A retry of a request whose answer was lost: nobody has seen the key made then, so it is replaced.
      await this.#keys.replace(scope, { _id: id }, row);
    }
    return { ...metadata(row), key: plaintext };
  }

  /** Counts the tenant's keys of both modes. */
  count(tenant: TenantId): Promise<number> {
    return this.#allKeys.countDocuments({ tenant_id: tenant }).exec();
  }

  async list(
    scope: TenantScope,
    page: { cursor?: string; limit: number; include_total?: boolean },
  ): Promise<ApiKeyListResponse> {
    const list = `api-keys/${scopeName(scope)}`;
    const place = page.cursor === undefined ? undefined : this.#options.cursors.decode(list, page.cursor);
    const [rows, total] = await Promise.all([
      this.#keys.findPage(scope, place ? after(place) : {}, { sort: NEWEST_FIRST, limit: page.limit + 1 }),
      totalOf(page.include_total === true, (limit) => this.#keys.count(scope, {}, limit)),
    ]);
    const { rows: shown, ...rest } = pageOf(rows, page.limit, (position) =>
      this.#options.cursors.encode(list, position),
    );
    return { keys: shown.map(metadata), ...total, ...rest };
  }

  /** Deletes for good: the key is refused from the next request on. */
  async delete(scope: TenantScope, id: string): Promise<void> {
    if (!(await this.#keys.delete(scope, { _id: id }))) throw apiError('api_key_not_found');
  }

  /** Marks the keys that a person made who is gone, of whichever tenant; how many there are. They go on working. */
  async markForReview(createdBy: string): Promise<number> {
    const review = { reason: 'creator_deleted', since: new Date(this.#options.clock.now()) } as const;
    const marked = await this.#allKeys.updateMany(
      { created_by: createdBy, review: null },
      { $set: { review } },
    );
    return marked.modifiedCount;
  }

  /** Whose key it is; null for an unknown, malformed or deleted one. */
  async lookup(credential: string): Promise<Principal | null> {
    const mode = modeOfKey(credential);
    if (!mode) return null;
    const owner = await this.#lookups.add(hashKey(credential));
    if (!owner) return null;
    return {
      tenant: asTenantId(owner.tenant_id),
      sandbox: mode.sandbox,
      keyId: owner._id,
      userId: owner.created_by ?? null,
      actor: { type: 'api_key', id: owner._id, name: owner.name },
    };
  }

  /** Whether a key that was shown before still counts; null once it is deleted. No role binds a key. */
  async recall({ keyId, ...scope }: TenantScope & { readonly keyId: string }): Promise<object | null> {
    const key = await this.#keys.get(scope, keyId);
    return key && {};
  }

  async #ownersOf(hashes: readonly string[]): Promise<readonly (KeyOwner | null)[]> {
    const distinct = [...new Set(hashes)];
    const owners = await this.#allKeys.collection
      .find<KeyOwner>(
        { key_hash: { $in: distinct } },
        { projection: { name: 1, tenant_id: 1, key_hash: 1, created_by: 1 } },
      )
      .toArray();
    const byHash = new Map(owners.map((owner) => [owner.key_hash, owner]));
    return hashes.map((hash) => byHash.get(hash) ?? null);
  }
}

function metadata(row: ApiKeyRow) {
  return {
    id: row._id,
    name: row.name,
    key_prefix: row.key_prefix,
    sandbox: row.sandbox,
    review: row.review ? { reason: row.review.reason, since: row.review.since.toISOString() } : null,
    created_at: row.created_at.toISOString(),
  };
}
