import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import type { RecogniserHabits } from './recogniser-habits.js';

/** What turn-taking needs to know of the agent that the call is handed to; the call's own limits stay as they are. */
export interface NextAgent {
  readonly settings: TurnTakingSettings;
  readonly language: string;
  readonly hearsWords: boolean;
  readonly silenceTimeoutMs: number;
  readonly turnDeadlineMs?: number;
  /** What is known of its recogniser, from calls before. */
  readonly recogniser?: RecogniserHabits;
}
