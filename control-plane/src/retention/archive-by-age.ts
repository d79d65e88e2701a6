import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { CallsModule } from '../calls/module.js';
import type { CallDocument } from '../calls/record/model.js';
import type { TenantsService } from '../identity/tenants/service.js';
import { toServiceError } from '../platform/http/errors.js';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { RetentionProgress } from './retention-progress.js';

const DAY_MS = 24 * 60 * 60_000;
/** How often a tenant's calls are looked at, in ms. */
const LOOK_EVERY_MS = 60 * 60_000;
/** Tenants that one run takes on. */
const TENANTS = 50;
/** Calls in one read, and how many of them are archived at once. */
const BATCH = 100;
const AT_ONCE = 10;
/** Reads that one run makes for the calls of a tenant in one mode. */
const MOST_BATCHES = 10;
/** When a run begins no further batch, in ms: one of a minute would be taken for hung. */
const LONGEST_MS = 30_000;
/** How long a call that is over age and not ready holds up those after it, in ms. Then it stays in the store. */
const PATIENCE_MS = DAY_MS;
/** When a tenant is looked at again for whose calls the object storage failed, in ms: others come first. */
const AGAIN_MS = 10 * 60_000;

export interface ArchiveByAgeOptions {
  readonly afterDays: number;
  readonly tenants: Pick<TenantsService, 'archiveDue' | 'archiveLooked'>;
  readonly calls: Pick<CallsModule['erasedCalls'], 'createdBetween'>;
  readonly archiving: Pick<CallsModule['archiving'], 'archive'>;
  readonly progress: Pick<RetentionProgress, 'of' | 'note'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: Pick<Log, 'error'>;
}

/** Archives the calls that are old enough, tenant by tenant, oldest first. */
export class ArchiveByAge {
  readonly #options: ArchiveByAgeOptions;

  constructor(options: ArchiveByAgeOptions) {
    this.#options = options;
  }

  /** Looks at the tenants that are due. Throws 503 `storage_unavailable`; the next run goes on where this one ended. */
  async run(): Promise<void> {
    const { tenants, clock } = this.#options;
    const until = clock.monotonic() + LONGEST_MS;
    for (const { _id } of await tenants.archiveDue(TENANTS, clock.now())) {
      try {
        let hasMore = false;
        for (const sandbox of [false, true]) {
          if (await this.#archive({ tenant: asTenantId(_id), sandbox }, until)) hasMore = true;
        }
        await tenants.archiveLooked(_id, clock.now() + (hasMore ? 0 : LOOK_EVERY_MS));
      } catch (error) {
        await tenants.archiveLooked(_id, clock.now() + AGAIN_MS);
        throw error;
      }
      if (clock.monotonic() >= until) return;
    }
  }

  /** Returns whether there is more than one run takes on. */
  async #archive(scope: TenantScope, until: number): Promise<boolean> {
    const { calls, progress, afterDays, clock } = this.#options;
    const before = clock.now() - afterDays * DAY_MS;
    for (let n = 0; n < MOST_BATCHES && clock.monotonic() < until; n++) {
      const after = await progress.of(scope, 'archive');
      const rows = await calls.createdBetween(scope, after, new Date(before), BATCH);
      const done = await sideBySide(rows, AT_ONCE, (call) => this.#archiveOne(call));
      const isHeldUp = ({ created_at }: CallDocument, at: number) =>
        !done[at] && created_at.getTime() >= before - PATIENCE_MS;
      const stop = rows.findIndex(isHeldUp);
      const last = (stop < 0 ? rows : rows.slice(0, stop)).at(-1);
      if (last) await progress.note(scope, 'archive', last);
      if (stop >= 0 || rows.length < BATCH) return false;
    }
    return true;
  }

  /** A call that cannot be archived stays in the store, and holds up no other. */
  async #archiveOne(call: CallDocument): Promise<boolean> {
    try {
      return await this.#options.archiving.archive(call);
    } catch (err) {
      if (toServiceError(err).retryable) throw err;
      this.#options.log.error({ call_id: call._id, err }, 'a call was not archived');
      return false;
    }
  }
}
