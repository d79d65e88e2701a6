import type { LiveEvent } from '@voice/shared/contracts/live-events';

export interface Statistics {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly roundTripMs: number | null;
}

export class TalkSession {
  constructor(
    microphone: MediaStream,
    on: {
      readonly onState: (state: 'connecting' | 'live' | 'reconnecting') => void;
      readonly onVoice: (stream: MediaStream) => void;
      readonly onEvent: (event: LiveEvent) => void;
      readonly onStatistics: (statistics: Statistics) => void;
      readonly onLost: () => void;
    },
  );
  get id(): string | undefined;
  start(agentId: string): Promise<void>;
  mute(muted: boolean): void;
  hangUp(): void;
  close(): void;
}
