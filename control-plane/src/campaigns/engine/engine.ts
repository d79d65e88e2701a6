import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { type JobRun, KeyedJob } from '../../platform/jobs/keyed-job.js';
import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { CampaignCreation } from '../creation.js';
import type { CampaignDocument, CampaignModel } from '../model.js';
import type { CampaignWork } from './campaign-work.js';
import { HOLD_MS, TICK_MS } from './lines-watch.js';
import { Turns } from './turns.js';

/** How long a campaign rests at least before it is looked at again, in ms. */
const LEAST_NAP_MS = 50;
/** How long one rests that could not be looked at, in ms. */
const AFTER_FAILURE_MS = 1000;
/** Campaigns looked at side by side. */
const SIDE_BY_SIDE = 32;
const SWEEP_EVERY_MS = 60_000;
/** For how long a sweep doubts that a campaign was scheduled when it was changed, in ms: some sweeps may fail. */
const CHANGED_LATELY_MS = 3 * SWEEP_EVERY_MS;
/** How soon a campaign that could not be scheduled is tried again, in ms. */
const WAKE_AGAIN_MS = 10_000;
/** Campaigns whose jobs are looked for at a time. */
const ENSURED_AT_ONCE = 1000;

interface CampaignEngineOptions {
  readonly campaigns: CampaignModel;
  readonly work: Pick<CampaignWork, 'look' | 'settled'>;
  readonly creation: Pick<CampaignCreation, 'sweep'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Looks after every active campaign by a job of its own, which runs on one replica while something is due soon, and is
 * wanted again when the next thing is: its start, a slot, opening hours, a retry. The campaigns' own writes decide who
 * does what, so nothing goes wrong should two replicas run one for a moment.
 */
export class CampaignEngine {
  readonly job: KeyedJob;
  readonly sweeps: readonly RecurringJob[];
  readonly #options: CampaignEngineOptions;
  readonly #turns = new Turns(SIDE_BY_SIDE);
  /** Campaigns that could not be scheduled here: the sweeps may be another replica's. */
  readonly #unwoken = new Set<string>();
  #wakingAgain: Timer | undefined;
  #stopped = false;
  /** The changes of campaigns after which this replica's sweep has scheduled them, in epoch ms. */
  #swept: ReadonlyMap<string, number> = new Map();

  constructor(options: CampaignEngineOptions) {
    this.#options = options;
    this.job = new KeyedJob({
      name: 'campaigns',
      run: (id, run) => this.#run(id, run),
      fieldsOf: (id) => ({ campaign_id: id }),
    });
    this.sweeps = [{ name: 'campaigns', everyMs: SWEEP_EVERY_MS, run: () => this.#sweep() }];
  }

  /**
   * Has the campaign looked at now. Should that fail, it is tried again; and should this process die before, the next
   * sweep does it where the campaign was changed.
   */
  async wake(campaignId: string): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.job.schedule(campaignId, clock.now());
    } catch (err) {
      log.warn({ campaign_id: campaignId, err }, 'a campaign could not be scheduled');
      this.#unwoken.add(campaignId);
      if (!this.#stopped) this.#wakingAgain ??= clock.schedule(WAKE_AGAIN_MS, () => this.#wakeAgain());
    }
  }

  /** To be called when its jobs have ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#wakingAgain?.cancel();
    return this.#options.work.settled();
  }

  #wakeAgain(): void {
    this.#wakingAgain = undefined;
    const ids = [...this.#unwoken];
    this.#unwoken.clear();
    for (const id of ids) void this.wake(id);
  }

  /** Looks at the campaign until nothing is due soon; returns when it is to be looked at again, in epoch ms. */
  async #run(id: string, run: JobRun): Promise<number | null> {
    let restedUntil: number | undefined = run.dueAt;
    while (!run.signal.aborted) {
      const began = this.#options.clock.now();
      const at = await this.#look(id, restedUntil);
      const now = this.#options.clock.now();
      if (at === null || at > now + HOLD_MS) return at;
      restedUntil = undefined;
      const napMs = Math.max(LEAST_NAP_MS, Math.max(at, began + TICK_MS) - now);
      await this.#options.clock.sleep(LEAST_NAP_MS, run.signal).catch(() => {});
      if (napMs > LEAST_NAP_MS) await run.rest(napMs - LEAST_NAP_MS);
    }
    return this.#options.clock.now();
  }

  async #look(id: string, restedUntil: number | undefined): Promise<number | null> {
    try {
      return await this.#turns.take(() => this.#options.work.look(id, restedUntil));
    } catch (err) {
      this.#options.log.error({ campaign_id: id, err }, 'a campaign’s next calls could not be chosen');
      return this.#options.clock.now() + AFTER_FAILURE_MS;
    }
  }

  /**
   * Removes what a creation left that was cut short, finds active campaigns without a job, which older versions left,
   * and schedules those that were changed lately: the job of one may be known for its old time, because who changed it
   * died before that was brought forward. Once after each change: ten thousand that wait cost nothing.
   */
  async #sweep(): Promise<void> {
    await this.#options.creation.sweep();
    const active = await this.#options.campaigns
      .find({ active: true }, { _id: 1, updated_at: 1 })
      .lean<Pick<CampaignDocument, '_id' | 'updated_at'>[]>();
    const since = this.#options.clock.now() - CHANGED_LATELY_MS;
    const changed = new Map(active.map(({ _id, updated_at }) => [_id, updated_at.getTime()] as const));
    for (const [id, at] of changed) if (at <= since) changed.delete(id);
    for (let from = 0; from < active.length; from += ENSURED_AT_ONCE) {
      const ids = active.slice(from, from + ENSURED_AT_ONCE).map(({ _id }) => _id);
      await this.job.ensure(ids);
      const doubted = ids.filter((id) => changed.has(id) && changed.get(id) !== this.#swept.get(id));
      await Promise.all(doubted.map((id) => this.wake(id)));
    }
    this.#swept = changed;
  }
}
