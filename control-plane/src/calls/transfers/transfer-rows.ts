import type { Clock } from '@voice/shared/clock/clock';
import type { TransferModel, TransferRow, TransferStage } from './model.js';

interface TransferRowsOptions {
  readonly transfers: TransferModel;
  readonly clock: Clock;
}

/** The stored transfers, each moved on by one conditional update. */
export class TransferRows {
  readonly #options: TransferRowsOptions;

  constructor(options: TransferRowsOptions) {
    this.#options = options;
  }

  find(id: string): Promise<TransferRow | null> {
    return this.#options.transfers.findOne({ _id: id }).lean<TransferRow>().exec();
  }

  /** Moves the row on, unless somebody else has: false then. */
  async move(
    row: TransferRow,
    from: readonly TransferStage[],
    to: TransferStage,
    set: Partial<TransferRow> = {},
  ): Promise<boolean> {
    const moved = await this.#options.transfers.updateOne(
      { _id: row._id, stage: { $in: [...from] } },
      { $set: { ...set, stage: to, moved_at: new Date(this.#options.clock.now()) } },
    );
    return moved.matchedCount === 1;
  }
}
