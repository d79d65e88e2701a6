import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { CountingClock } from '../counting-clock.js';
import type { RealtimeEvent, RealtimeOptions } from './port.js';
import { describeConversation } from './testing/conversation-cases.js';
import { describeFailures } from './testing/failure-cases.js';
import type { RealtimeCapabilities, RealtimeHarness } from './testing/harness.js';
import { eventually, RealtimeListener } from './testing/listener.js';
import { describeMemory } from './testing/memory-cases.js';
import { describeTurns } from './testing/turn-cases.js';

export type {
  RealtimeCapabilities,
  RealtimeHarness,
  RealtimeMemory,
  RealtimePhrase,
} from './testing/harness.js';

/** What every group of cases works with; the harness is new for each case. */
export interface RealtimeBench {
  readonly harness: RealtimeHarness;
  readonly clock: CountingClock;
  /** Opens a session; with our own turn detection unless said otherwise. */
  open(overrides?: Partial<RealtimeOptions>): RealtimeListener;
}

/** What the pipeline relies on from every speech-to-speech provider. */
export function describeRealtimeContract(
  name: string,
  makeHarness: () => Promise<RealtimeHarness>,
  capabilities: RealtimeCapabilities,
): void {
  describe(`speech to speech: ${name}`, () => {
    let bench: RealtimeBench;
    let sessions: RealtimeListener[] = [];

    beforeEach(async () => {
      const harness = await makeHarness();
      const clock = new CountingClock();
      sessions = [];
      bench = {
        harness,
        clock,
        open(overrides = {}) {
          const events: RealtimeEvent[] = [];
          const session = harness.provider.open({
            ...harness.options,
            turnDetection: 'ours',
            history: [],
            clock,
            log: silentLog,
            ...overrides,
            onEvent: (event) => events.push(event),
          });
          const listener = new RealtimeListener(session, events, harness.options.format);
          sessions.push(listener);
          return listener;
        },
      };
    });

    afterEach(async () => {
      try {
        for (const { session } of sessions) session.close();
        // Whatever a case did: a closed session leaves neither a connection nor a timer behind.
        await eventually(() => expect(bench.harness.openConnections()).toBe(0));
        expect(bench.clock.pending).toBe(0);
      } finally {
        await bench.harness.close();
      }
    });

    const current = () => bench;
    describeConversation(current, capabilities);
    describeTurns(current, capabilities);
    describeMemory(current, capabilities);
    describeFailures(current);
  });
}
