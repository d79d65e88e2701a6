/** After how many days what is erased of the tenant's calls; null: never. */
export interface RetentionSettings {
  readonly recordings_days: number | null;
  readonly transcripts_days: number | null;
  readonly calls_days: number | null;
}

export const NO_RETENTION: RetentionSettings = {
  recordings_days: null,
  transcripts_days: null,
  calls_days: null,
};
