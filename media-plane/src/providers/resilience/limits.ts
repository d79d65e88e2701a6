/** How long a provider may take, in ms. */
export interface StageLimits {
  /** To the first output: past it a notice is published, and nothing else happens. */
  readonly budgetMs: number;
  /** To the first output: past it the attempt is given up as `timed_out`. */
  readonly firstTimeoutMs: number;
  /** From one output to the next while one is expected: past it the attempt is given up. */
  readonly idleTimeoutMs: number;
}

/** Budgets are what people expect on the phone (limits of Twilio's guidance); time-outs are generous. */
export const LANGUAGE_MODEL_LIMITS: StageLimits = {
  budgetMs: 750,
  firstTimeoutMs: 5000,
  idleTimeoutMs: 5000,
};
export const TEXT_TO_SPEECH_LIMITS: StageLimits = {
  budgetMs: 250,
  firstTimeoutMs: 3000,
  idleTimeoutMs: 3000,
};
