import type { MicroDollars } from './micro-dollars.js';
import { toUsd } from './micro-dollars.js';

/** What a call cost by service, in micro-dollars. */
export interface CallCost {
  readonly stt: MicroDollars;
  readonly llm: MicroDollars;
  readonly tts: MicroDollars;
  readonly carrier: MicroDollars;
  readonly service: MicroDollars;
  /** What of `llm` and `tts` was of no use, as a part of them; absent where nothing was. */
  readonly wasted?: MicroDollars;
}

export const COST_PARTS = ['stt', 'llm', 'tts', 'carrier', 'service'] as const;

export const NO_COST: CallCost = { stt: 0, llm: 0, tts: 0, carrier: 0, service: 0 };

export function totalOf(cost: CallCost): MicroDollars {
  return COST_PARTS.reduce((sum, part) => sum + cost[part], 0);
}

/** Returns the cost in USD, with the total. */
export function presentCost(cost: CallCost): Record<(typeof COST_PARTS)[number] | 'total', number> {
  return {
    stt: toUsd(cost.stt),
    llm: toUsd(cost.llm),
    tts: toUsd(cost.tts),
    carrier: toUsd(cost.carrier),
    service: toUsd(cost.service),
    total: toUsd(totalOf(cost)),
  };
}
