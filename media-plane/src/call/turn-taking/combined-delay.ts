import type { TurnTakingSettings } from '@voice/shared/contracts/agent';

/** Probability of completion from which the sound says that the caller has finished. */
const COMPLETE_FROM = 0.95;
/** Probability below which it says that more will come, … */
const INCOMPLETE_BELOW = 0.5;
/** … and the longest that this adds to the minimum, in ms. */
const INCOMPLETE_MS = 800;
/** Words that ask for no more than this are in doubt themselves, in ms: the sound of an end outweighs them. */
const DOUBT_MS = 300;

/** What is known of the end of the caller's turn. */
interface EndSignals {
  /** What the words ask to be added to the minimum, in ms. */
  readonly wordsMs: number;
  /** The recogniser is confident that the turn is over. */
  readonly confidentEnd: boolean;
  /** Probability (0..1) that the caller has finished, by the sound of their speech; null: nobody has said. */
  readonly completion: number | null;
}

/**
 * Combines words, recogniser and sound to the silence that ends the turn, in ms: never below the shorter of the two
 * minima that are set, never above the maximum. The sound of an end does not outweigh words that go on.
 */
export function combinedDelay(settings: TurnTakingSettings, signals: EndSignals): number {
  const shortest = Math.min(settings.confident_endpointing_ms, settings.min_endpointing_ms);
  const minimum = signals.confidentEnd ? shortest : settings.min_endpointing_ms;
  return Math.min(settings.max_endpointing_ms, silenceFor(signals, shortest, minimum));
}

function silenceFor(
  { wordsMs, confidentEnd, completion }: EndSignals,
  shortest: number,
  minimum: number,
): number {
  if (completion === null) return minimum + wordsMs;
  if (completion >= COMPLETE_FROM && wordsMs <= DOUBT_MS) return wordsMs === 0 ? shortest : minimum;
  if (completion >= INCOMPLETE_BELOW) return minimum + wordsMs;
  const doubt = 1 - completion / INCOMPLETE_BELOW;
  // Two against each other count half.
  const soundMs = Math.round(INCOMPLETE_MS * doubt * (confidentEnd ? 0.5 : 1));
  return minimum + Math.max(wordsMs, soundMs);
}
