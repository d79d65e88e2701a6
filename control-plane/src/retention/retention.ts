import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { CallsModule } from '../calls/module.js';
import { isTerminal } from '../calls/record/call-state.js';
import type { CallDocument } from '../calls/record/model.js';
import { NO_RETENTION } from '../identity/tenants/retention-settings.js';
import type { TenantsService } from '../identity/tenants/service.js';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { Erasure } from './erasure.js';
import { type DuePart, partsDue } from './retention-parts.js';
import type { RetentionProgress } from './retention-progress.js';

/** How often a tenant's calls are looked at, in ms. */
const LOOK_EVERY_MS = 60 * 60_000;
/** When a tenant is looked at again of whose calls something could not be erased, in ms. */
const AGAIN_MS = 5 * 60_000;
/** After so many failures a run ends: the storage is away for all, and each of them may have taken a minute. */
const MOST_FAILURES = 5;
/** Tenants that one run takes on. */
const TENANTS = 50;
/** Calls in one read, and how many reads one run makes for a part of a tenant's calls. */
const BATCH = 100;
const MOST_BATCHES = 20;
const AT_ONCE = 10;
/** Calls of a batch that are passed by when they cannot be erased: where more fail, the storage is away. */
const MOST_PASSED = 10;
/** Calls of a tenant, mode and part that are left to be erased at most. */
const MOST_LEFT = 100;
/** Of them so many are tried in one run. */
const LEFT_IN_A_RUN = 20;

export interface RetentionOptions {
  readonly tenants: TenantsService;
  readonly calls: Pick<CallsModule['erasedCalls'], 'createdBetween' | 'find'>;
  readonly erasure: Pick<Erasure, 'begin' | 'erasePart'>;
  readonly progress: Pick<RetentionProgress, 'of' | 'note' | 'madeUp'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'error'>;
}

/** Erases what tenants keep for a time alone, when that is over: by the code that erases on request. */
export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /**
   * Looks at the tenants that are due, the longest due first. A few calls that cannot be erased are passed by and tried
   * again with each look. Where most cannot, they hold up neither other parts and modes nor other tenants: they are
   * looked at again soon, and the failure is thrown in the end.
   */
  async run(): Promise<void> {
    const { tenants, clock } = this.#options;
    const failures: unknown[] = [];
    for (const tenant of await tenants.retentionDue(TENANTS, clock.now())) {
      const { _id, retention } = tenant;
      const due = partsDue(retention ?? NO_RETENTION, clock.now());
      const before = failures.length;
      let hasMore = false;
      for (const sandbox of [false, true]) {
        const scope = { tenant: asTenantId(_id), sandbox };
        for (const part of due) {
          try {
            if (await this.#erase(scope, part)) hasMore = true;
          } catch (error) {
            failures.push(error);
          }
        }
      }
      const rest = failures.length > before ? AGAIN_MS : hasMore ? 0 : LOOK_EVERY_MS;
      await tenants.retentionLooked(tenant, clock.now() + rest);
      if (failures.length >= MOST_FAILURES) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Returns whether there is more than one run takes on. */
  async #erase(scope: TenantScope, due: DuePart): Promise<boolean> {
    const { calls, progress } = this.#options;
    const { part, before } = due;
    await this.#eraseLeft(scope, due);
    for (let n = 0; n < MOST_BATCHES; n++) {
      const after = await progress.of(scope, part);
      const rows = await calls.createdBetween(scope, after, new Date(before), BATCH);
      // A call that goes on is looked at the next time, and those after it.
      const live = rows.findIndex(({ status }) => !isTerminal(status));
      const over = live < 0 ? rows : rows.slice(0, live);
      const failed = await this.#eraseAll(over, part);
      if (!mayPass(failed.length, over.length, after.left.length)) throw failed[0]!.error;
      const last = over.at(-1);
      const left = failed.map(({ call }) => call._id);
      if (last) await progress.note(scope, part, last, left);
      if (live >= 0 || rows.length < BATCH) return false;
    }
    return true;
  }

  /** Tries some of those again that were passed by, with each look others. */
  async #eraseLeft(scope: TenantScope, { part, before }: DuePart): Promise<void> {
    const { calls, progress, clock } = this.#options;
    const { left } = await progress.of(scope, part);
    const first = left.length > LEFT_IN_A_RUN ? Math.floor(clock.now() / LOOK_EVERY_MS) * LEFT_IN_A_RUN : 0;
    const ids = left.slice(0, LEFT_IN_A_RUN).map((_, n) => left[(first + n) % left.length]!);
    const found = await Promise.all(ids.map((_id) => calls.find({ _id, tenant_id: scope.tenant })));
    const present = found.filter((call) => call !== null);
    // The tenant may keep them for longer by now.
    const [due, kept] = [present.filter(isBefore(before)), present.filter((call) => !isBefore(before)(call))];
    const failed = (await this.#eraseAll(due, part)).map(({ call }) => call);
    const open = new Set([...failed, ...kept].map(({ _id }) => _id));
    const done = ids.filter((id) => !open.has(id));
    await progress.madeUp(scope, part, done);
  }

  /** Returns those that could not be erased. */
  async #eraseAll(
    calls: readonly CallDocument[],
    part: DuePart['part'],
  ): Promise<{ readonly call: CallDocument; readonly error: unknown }[]> {
    const failed: { readonly call: CallDocument; readonly error: unknown }[] = [];
    await sideBySide(calls, AT_ONCE, async (call) => {
      // Where the storage is away, each may take a minute.
      if (failed.length > MOST_PASSED) return;
      try {
        await this.#erasePart(call, part);
      } catch (error) {
        this.#options.log.error(
          { call_id: call._id, part, err: error },
          'what is due of a call was not erased',
        );
        failed.push({ call, error });
      }
    });
    return failed;
  }

  async #erasePart(call: CallDocument, part: DuePart['part']): Promise<void> {
    const { erasure } = this.#options;
    if (call.erasing_at) return;
    if (part === 'calls') await erasure.begin(call);
    else await erasure.erasePart(call, part);
  }
}

/** Whether those of a batch that could not be erased may wait while others go on: they are few. Pure. */
function mayPass(failed: number, all: number, left: number): boolean {
  return failed === 0 || (failed < all && failed <= MOST_PASSED && left + failed <= MOST_LEFT);
}

const isBefore =
  (time: number) =>
  ({ created_at }: Pick<CallDocument, 'created_at'>): boolean =>
    created_at.getTime() < time;
