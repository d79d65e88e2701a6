import type { TurnTakingSettings } from '@voice/shared/contracts/agent';

/** What turn-taking needs to know of the agent that the call is handed to; the call's own limits stay as they are. */
export interface NextAgent {
  readonly settings: TurnTakingSettings;
  readonly language: string;
  readonly hearsWords: boolean;
  readonly silenceTimeoutMs: number;
  readonly turnDeadlineMs?: number;
}
