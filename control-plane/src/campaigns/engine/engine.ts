import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { CampaignCreation } from '../creation.js';
import type { CampaignModel } from '../model.js';
import type { CampaignWork } from './campaign-work.js';

/** How often campaigns are looked at, in ms. */
export const TICK_MS = 200;
/** How often it looks whether another replica made a campaign active, while none is due, in ms. */
const IDLE_TICK_MS = 3000;
/** How long it rests at least before it looks again, in ms. */
const LEAST_NAP_MS = 50;
/** Campaigns looked at side by side. */
const SIDE_BY_SIDE = 8;
const SWEEP_EVERY_MS = 60_000;

/**
 * Looks after every active campaign, on every replica: the campaigns' own writes decide who does what, so
 * no replica waits for another that died.
 */
export class CampaignEngine {
  readonly #campaigns: CampaignModel;
  readonly #work: Pick<CampaignWork, 'look' | 'settled'>;
  readonly #creation: Pick<CampaignCreation, 'sweep'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** Until when each need not be looked at, in epoch ms. */
  readonly #restUntil = new Map<string, number>();
  #nap = new AbortController();
  #running: Promise<void> | undefined;
  #sweptAt = 0;

  constructor(options: {
    readonly campaigns: CampaignModel;
    readonly work: Pick<CampaignWork, 'look' | 'settled'>;
    readonly creation: Pick<CampaignCreation, 'sweep'>;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#campaigns = options.campaigns;
    this.#work = options.work;
    this.#creation = options.creation;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Looks at everything at once. */
  wake(): void {
    this.#restUntil.clear();
    this.#nap.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the engine stops'));
    await this.#running;
    await this.#work.settled();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#nap = new AbortController();
      const began = this.#clock.monotonic();
      let tickMs = TICK_MS;
      try {
        tickMs = await this.#tick();
      } catch (err) {
        this.#log.error({ err }, 'the campaigns could not be looked at');
      }
      const took = this.#clock.monotonic() - began;
      await this.#clock
        .sleep(
          Math.max(LEAST_NAP_MS, tickMs - took),
          AbortSignal.any([this.#nap.signal, this.#stopping.signal]),
        )
        .catch(() => {});
    }
  }

  /** Looks at what is due; returns how long after its begin the next look is wanted, in ms. */
  async #tick(): Promise<number> {
    const now = this.#clock.now();
    if (now - this.#sweptAt >= SWEEP_EVERY_MS) {
      this.#sweptAt = now;
      await this.#creation.sweep();
    }
    const active = await this.#campaigns.find({ active: true }, { _id: 1 }).lean<{ _id: string }[]>();
    const known = new Set(active.map(({ _id }) => _id));
    for (const id of this.#restUntil.keys()) if (!known.has(id)) this.#restUntil.delete(id);
    const due = active.filter(({ _id }) => (this.#restUntil.get(_id) ?? 0) <= now).map(({ _id }) => _id);
    const next = due.values();
    await Promise.all(
      Array.from({ length: Math.min(SIDE_BY_SIDE, due.length) }, async () => {
        for (const id of next) await this.#look(id, now);
      }),
    );
    const nextDue = Math.min(...this.#restUntil.values());
    return Math.max(TICK_MS, Math.min(IDLE_TICK_MS, nextDue - now));
  }

  async #look(id: string, now: number): Promise<void> {
    try {
      this.#restUntil.set(id, now + (await this.#work.look(id)));
    } catch (err) {
      // It is due again at the next tick.
      this.#restUntil.set(id, now);
      this.#log.error({ campaign_id: id, err }, 'a campaign could not be looked at');
    }
  }
}
