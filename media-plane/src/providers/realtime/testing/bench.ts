import type { CountingClock } from '../../testing/counting-clock.js';
import type { RealtimeOptions } from '../port.js';
import type { RealtimeHarness } from './harness.js';
import type { RealtimeListener } from './listener.js';

/** What every group of cases works with; the harness is new for each case. */
export interface RealtimeBench {
  readonly harness: RealtimeHarness;
  readonly clock: CountingClock;
  /** Opens a session; with our own turn detection unless said otherwise. */
  open(overrides?: Partial<RealtimeOptions>): RealtimeListener;
}
