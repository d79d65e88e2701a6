import type { Clock } from '@voice/shared/clock/clock';
import type { TransferModel, TransferRow, TransferStage } from './model.js';

/** The stored transfers, each moved on by one conditional update. */
export class TransferRows {
  readonly #transfers: TransferModel;
  readonly #clock: Clock;

  constructor({ transfers, clock }: { readonly transfers: TransferModel; readonly clock: Clock }) {
    this.#transfers = transfers;
    this.#clock = clock;
  }

  find(id: string): Promise<TransferRow | null> {
    return this.#transfers.findOne({ _id: id }).lean<TransferRow>().exec();
  }

  /** Moves the row on, unless somebody else has: false then. */
  async move(
    row: TransferRow,
    from: readonly TransferStage[],
    to: TransferStage,
    set: Partial<TransferRow> = {},
  ): Promise<boolean> {
    const moved = await this.#transfers.updateOne(
      { _id: row._id, stage: { $in: [...from] } },
      { $set: { ...set, stage: to, moved_at: new Date(this.#clock.now()) } },
    );
    return moved.matchedCount === 1;
  }
}
