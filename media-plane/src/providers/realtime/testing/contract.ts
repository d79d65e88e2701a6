import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { CountingClock } from '../../testing/counting-clock.js';
import type { RealtimeEvent } from '../port.js';
import type { RealtimeBench } from './bench.js';
import { describeConversation } from './conversation-cases.js';
import { describeFailures } from './failure-cases.js';
import type { RealtimeCapabilities, RealtimeHarness } from './harness.js';
import { eventually, RealtimeListener } from './listener.js';
import { describeMemory } from './memory-cases.js';
import { describeTurns } from './turn-cases.js';

export type {
  RealtimeCapabilities,
  RealtimeHarness,
  RealtimeMemory,
  RealtimePhrase,
} from './harness.js';

/** Tests what the pipeline relies on from every speech-to-speech provider. */
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
