/** What a campaign without labels is after. */
const WITHOUT_LABELS = 'Completed';

/** A campaign's calls of one status and outcome. */
export interface OutcomeCount {
  readonly completed: boolean;
  readonly outcome: string | null;
  readonly calls: number;
}

export interface PrimaryOutcome {
  readonly label: string;
  readonly calls: number;
  readonly completed: number;
  /** Completed calls that came to it. */
  readonly count: number;
}

/**
 * Counts a campaign's primary outcome: the first entry of its labels; a campaign without labels counts under
 * `Completed`, by its completed calls. A voicemail that the analysis gave the label reached nobody. Pure.
 */
export function primaryOutcome(labels: readonly string[], counts: readonly OutcomeCount[]): PrimaryOutcome {
  const [first] = labels;
  const sum = (counted: (entry: OutcomeCount) => boolean) =>
    counts.reduce((total, entry) => total + (counted(entry) ? entry.calls : 0), 0);
  const completed = sum((entry) => entry.completed);
  return {
    label: first ?? WITHOUT_LABELS,
    calls: sum(() => true),
    completed,
    count: first === undefined ? completed : sum((entry) => entry.completed && entry.outcome === first),
  };
}
