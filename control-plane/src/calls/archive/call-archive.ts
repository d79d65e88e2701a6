import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Registry } from 'prom-client';
import { apiError } from '../../platform/http/error-codes.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { ObjectStorage } from '../post-call/object-storage.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { ArchiveCache } from './archive-cache.js';
import {
  ARCHIVE_KEY_BYTES,
  type ArchivedContent,
  openArchive,
  openArchivedTurns,
  sealArchive,
} from './archive-file.js';
import { ArchiveMetrics } from './archive-metrics.js';

/** A call of four hours has some thousand events of a few hundred bytes. */
const LIMIT_BYTES = 64 * 1024 * 1024;
/** Distinguishes the objects of two tries. */
const NAME_BYTES = 4;

type CallKey = Pick<CallDocument, '_id' | 'tenant_id'>;
/** Where the archive of a call lies, and what opens it. */
export type ArchivePlace = CallKey & { readonly archive_key: string; readonly archive_secret: string };

export interface CallArchiveOptions {
  readonly calls: CallModel;
  readonly storage: ObjectStorage;
  readonly secrets: SecretBox;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly metrics: Registry;
  /** The largest object, in bytes; 64 MiB by default. */
  readonly limitBytes?: number;
}

/**
 * Keeps what is archived of a call as one object, by tenant and day, encrypted under a key of its own that lies sealed
 * in the call's document: without the document nobody reads the object.
 */
export class CallArchive {
  readonly metrics: ArchiveMetrics;
  readonly #options: CallArchiveOptions;
  readonly #cache: ArchiveCache;

  constructor(options: CallArchiveOptions) {
    this.#options = options;
    this.metrics = new ArchiveMetrics(options.metrics);
    this.#cache = new ArchiveCache(() => options.clock.monotonic());
  }

  /** Returns a new place for the archive of a call, which no other try writes to. */
  newPlace(call: CallKey & Pick<CallDocument, 'created_at'>): ArchivePlace {
    const day = call.created_at.toISOString().slice(0, 10);
    return this.#placeIn(`archive/${call.tenant_id}/${day}`, call);
  }

  #placeIn(directory: string, { _id, tenant_id }: CallKey): ArchivePlace {
    const { secrets } = this.#options;
    const name = `${_id}-${randomBytes(NAME_BYTES).toString('hex')}.jsonl.gz.sealed`;
    return {
      _id,
      tenant_id,
      archive_key: `${directory}/${name}`,
      archive_secret: secrets.seal(keyPurpose({ _id, tenant_id }), randomBytes(ARCHIVE_KEY_BYTES)),
    };
  }

  /**
   * Stores the content in place of what was there, and reads it back. Throws 503 `storage_unavailable`; and an error that
   * no later try mends where the object would be too large.
   */
  async write(place: ArchivePlace, content: ArchivedContent): Promise<void> {
    const { storage, limitBytes = LIMIT_BYTES } = this.#options;
    const file = await sealArchive(this.#keyOf(place), filePurpose(place), content);
    if (file.length > limitBytes) {
      throw new Error(`The archive would have ${file.length} bytes; expected ${limitBytes} at most.`);
    }
    await this.#reaching('write', async () => {
      await storage.put(place.archive_key, Readable.from([file]), limitBytes, 'application/octet-stream');
      if (!(await this.#fetch(place.archive_key)).equals(file)) {
        throw new Error(`${place.archive_key} is not what was written`);
      }
    });
    this.metrics.written(file.length);
  }

  /** Throws 503 `storage_unavailable`, also where the object is not there or not whole. */
  async read(place: ArchivePlace): Promise<ArchivedContent> {
    const key = this.#keyOf(place);
    const content = await this.#reaching('read', async () =>
      openArchive(key, filePurpose(place), await this.#fetch(place.archive_key)),
    );
    this.metrics.read('storage');
    return content;
  }

  /** Returns the turns of the transcript as JSON; null where they were erased. Throws as `read` does. */
  async turnsOf(place: ArchivePlace): Promise<string | null> {
    const key = this.#keyOf(place);
    const turns = await this.#reaching('read', async () =>
      openArchivedTurns(key, filePurpose(place), await this.#fetch(place.archive_key)),
    );
    this.metrics.read('storage');
    return turns;
  }

  /** Returns the archived events of a call as JSON, by their numbers; none where it was erased meanwhile. */
  async eventsOf({ call_id: callId, tenant_id }: ArchivedRow): Promise<readonly string[]> {
    const call = await this.#options.calls
      .findOne({ _id: callId, tenant_id }, { tenant_id: 1, archive_key: 1, archive_secret: 1 })
      .lean<CallDocument>();
    const place = call && placeOf(call);
    if (!place) return [];
    const known = this.#cache.get(callId);
    if (known) {
      this.metrics.read('cache');
      return known;
    }
    const events = this.read(place).then((content) => content.events);
    this.#cache.put(callId, events);
    return events;
  }

  /**
   * Erases what was said from an archive; what else it holds stays, in a new place under a new key. The key of the one
   * before goes: a bucket may keep versions of an object, and what a kill leaves of either place nobody can read.
   */
  async eraseSaid(place: ArchivePlace): Promise<void> {
    const { _id, tenant_id, archive_key: before } = place;
    const content = await this.read(place);
    if (content.turns === null && content.events.length === 0) return;
    const next = this.#placeIn(before.slice(0, before.lastIndexOf('/')), place);
    await this.write(next, { ...content, turns: null, events: [] });
    const { archive_key, archive_secret } = next;
    const moved = await this.#options.calls.updateOne(
      { _id, tenant_id, archive_key: before, archived_at: { $ne: null }, erasing_at: null },
      { $set: { archive_key, archive_secret } },
    );
    // Where another has erased it meanwhile, the call names theirs.
    await this.remove({ _id, archive_key: moved.matchedCount === 1 ? before : archive_key });
  }

  /**
   * Gives a place up that holds nothing yet: its key first, so that nobody who is at it can end that, then the object,
   * and its name last. May be made again.
   */
  async abandon(call: Pick<CallDocument, '_id' | 'tenant_id' | 'archive_key'>): Promise<void> {
    const { _id, tenant_id, archive_key } = call;
    if (!archive_key) return;
    const { calls } = this.#options;
    const given = { _id, tenant_id, archive_key, archived_at: null };
    const dropped = await calls.updateOne(given, { $set: { archive_secret: null } });
    if (dropped.matchedCount === 0) return;
    await this.remove(call);
    await calls.updateOne({ ...given, archive_secret: null }, { $set: { archive_key: null } });
  }

  /** Removes the object of a call, if there is any. */
  async remove({ _id, archive_key }: Pick<CallDocument, '_id' | 'archive_key'>): Promise<void> {
    this.#cache.drop(_id);
    if (archive_key) await this.#options.storage.remove(archive_key);
  }

  #keyOf(place: ArchivePlace): Buffer {
    return this.#options.secrets.openBytes(keyPurpose(place), place.archive_secret);
  }

  async #fetch(key: string): Promise<Buffer> {
    const found = await this.#options.storage.open(key);
    if (!found) throw new Error(`${key} is not in the object storage`);
    return buffer(found.content);
  }

  /** Whatever is wrong with the storage may be right again: the call is not lost. */
  async #reaching<T>(operation: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      this.metrics.failed(operation);
      if (cause instanceof ServiceError && cause.code === 'storage_unavailable') throw cause;
      throw apiError('storage_unavailable', undefined, { cause, retryable: true, retryAfterSeconds: 5 });
    }
  }
}

/** The document that stands for the archived events of a call. */
interface ArchivedRow {
  readonly call_id: string;
  readonly tenant_id: string;
}

/** Returns where a call's archive lies or will lie; null where it has no place yet. */
export function placeOf(
  call: CallKey & Pick<CallDocument, 'archive_key' | 'archive_secret'>,
): ArchivePlace | null {
  const { _id, tenant_id, archive_key, archive_secret } = call;
  return archive_key && archive_secret ? { _id, tenant_id, archive_key, archive_secret } : null;
}

const keyPurpose = ({ _id, tenant_id }: CallKey) => `tenants/${tenant_id}/calls/${_id}/archive`;

const filePurpose = ({ _id, tenant_id }: CallKey) => `archived/${tenant_id}/${_id}`;
