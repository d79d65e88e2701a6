import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
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

export interface RetentionOptions {
  readonly tenants: TenantsService;
  readonly calls: CallsModule['erasedCalls'];
  readonly erasure: Pick<Erasure, 'begin' | 'erasePart'>;
  readonly progress: RetentionProgress;
  readonly clock: Pick<Clock, 'now'>;
}

/** Erases what tenants keep for a time alone, when that is over: by the code that erases on request. */
export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /**
   * Looks at the tenants that are due, the longest due first. What cannot be erased holds up neither other parts and
   * modes nor other tenants: it is looked at again soon, and thrown in the end.
   */
  async run(): Promise<void> {
    const { tenants, clock } = this.#options;
    const failures: unknown[] = [];
    for (const { _id, retention } of await tenants.retentionDue(TENANTS, clock.now())) {
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
      await tenants.retentionLooked(_id, clock.now() + rest);
      if (failures.length >= MOST_FAILURES) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Returns whether there is more than one run takes on. */
  async #erase(scope: TenantScope, { part, before }: DuePart): Promise<boolean> {
    const { calls, progress } = this.#options;
    for (let n = 0; n < MOST_BATCHES; n++) {
      const after = await progress.of(scope, part);
      const rows = await calls.createdBetween(scope, after, new Date(before), BATCH);
      // A call that goes on is looked at the next time, and those after it.
      const live = rows.findIndex(({ status }) => !isTerminal(status));
      const over = live < 0 ? rows : rows.slice(0, live);
      await sideBySide(over, AT_ONCE, (call) => this.#erasePart(call, part));
      const last = over.at(-1);
      if (last) await progress.note(scope, part, last);
      if (live >= 0 || rows.length < BATCH) return false;
    }
    return true;
  }

  async #erasePart(call: CallDocument, part: DuePart['part']): Promise<void> {
    const { erasure } = this.#options;
    if (call.erasing_at) return;
    if (part === 'calls') await erasure.begin(call);
    else await erasure.erasePart(call, part);
  }
}
