import { PCMU_8K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import type { SttEvent, SttOptions } from '../port.js';

interface Session extends Pick<SttOptions, 'choice' | 'credentials'> {
  readonly clock: Clock;
  /** Takes what the session says. */
  readonly events: SttEvent[];
}

/** Options of a session of a phone call in English, whose events are collected. */
export function sessionOptions(session: Session, change: Partial<SttOptions> = {}): SttOptions {
  const { choice, credentials, clock, events } = session;
  return {
    choice,
    credentials,
    language: 'en-US',
    format: PCMU_8K,
    endpointingMs: 300,
    clock,
    log: silentLog,
    onEvent: (event) => events.push(event),
    ...change,
  };
}
