/**
 * What the emulated vendors and the turn-taking policy take by definition, in ms. The response latency
 * less these is what the runtime itself adds.
 */
export const DELAYS = {
  /**
   * From the end of speech: the policy's minimum endpointing. Longer than speech-to-text takes, so that the policy
   * decides.
   */
  endpointing: 500,
  /** Deepgram's final after its cause; hidden behind the endpointing. */
  sttFinal: 50,
  llmFirstToken: 150,
  /** Between tokens: none, so that the first sentence is there with the first token. */
  llmToken: 0,
  ttsFirstAudio: 100,
  /** A speech-to-speech model's first audio after it was asked to answer. */
  realtimeFirstAudio: 250,
} as const;

/** The shortest possible answer of a cascade that takes no time, in ms from the caller's last speech frame. */
export const IDEAL_RESPONSE_MS = DELAYS.endpointing + DELAYS.llmFirstToken + DELAYS.ttsFirstAudio;

/** What differs where answers are begun early, in ms. */
export const PREEMPTION_DELAYS = {
  /** A usual one of a fast model. */
  llmFirstToken: 200,
  /** Between interim texts, as a recogniser sends them: the last one before a pause lacks its last words. */
  interimEvery: 1000,
} as const;
