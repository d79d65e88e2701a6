import type { ProviderChoice } from '@voice/shared/contracts/agent';

/** The providers of a cascade, as an agent or its fallback names them. */
export interface CascadedChoices {
  readonly stt: ProviderChoice;
  readonly llm: ProviderChoice;
  readonly tts: ProviderChoice;
}
