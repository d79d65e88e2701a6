/** A campaign that is wanted again so soon stays with its replica, in ms. */
export const HOLD_MS = 2000;
/** How often a campaign whose lines are in use is looked at, at most, in ms. */
export const TICK_MS = 200;
/** What each campaign with lines in use adds to that, in ms: forty looks a second, however many there are. */
const SHARE_MS = 25;
/** How long a campaign is taken to have lines in use that was not looked at here again, in ms. */
const FORGOTTEN_MS = 120_000;

/**
 * How often lines in use are looked at. Of few campaigns what became of a call shows at once; many share the looks,
 * and the end of a slow campaign's call wakes it.
 */
export class LinesWatch {
  readonly #inUse = new Map<string, number>();
  #sweptAt = 0;

  /** Notes whether the campaign has lines in use; `now` is in ms. */
  note(campaignId: string, inUse: boolean, now: number): void {
    this.#inUse.delete(campaignId);
    if (inUse) this.#inUse.set(campaignId, now);
    if (now - this.#sweptAt < FORGOTTEN_MS) return;
    this.#sweptAt = now;
    for (const [id, at] of this.#inUse) if (at <= now - FORGOTTEN_MS) this.#inUse.delete(id);
  }

  /** Returns after how long a campaign whose lines are in use is looked at again, in ms. */
  restMs(): number {
    return Math.max(TICK_MS, this.#inUse.size * SHARE_MS);
  }
}
