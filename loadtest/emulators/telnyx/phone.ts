import type { AudioFormat } from '@voice/shared/audio/format';

/** One person's side of a conversation, 20 ms of mu-law at a time. */
export interface Conversation {
  step(heard: Uint8Array): {
    readonly frame: Uint8Array;
    /** A voicemail's tone is over. */
    readonly beeped: boolean;
    readonly hangsUp: boolean;
  };
  close(): void;
}

/** Who is behind a number. */
export interface Phone {
  /** `answers`, never does (the caller's patience ends), or the `hangup_cause` with which it declines. */
  readonly pickup: 'answers' | 'never' | 'user_busy' | 'call_rejected';
  readonly ringMs: number;
  /** What the call's own leg carries; mu-law where nothing is said. */
  readonly format?: AudioFormat;
  readonly answeredBy: 'human' | 'machine';
  talk(): Conversation;
}

/** The phone of a number; undefined for a number that nobody has. */
export type Phones = (number: string) => Phone | undefined;
