import { describe, expect, it } from 'vitest';
import { moment } from '../../testing/moment.js';
import type { RealtimeHistoryItem } from '../port.js';
import type { RealtimeBench } from './bench.js';
import type { RealtimeCapabilities } from './harness.js';
import { eventually, plain } from './listener.js';

export function describeMemory(bench: () => RealtimeBench, { truncates, discards }: RealtimeCapabilities) {
  const texts = () =>
    bench()
      .harness.memory()
      .map((item) => plain(item.text));
  /** Waits until the model remembers all of these, and in this order. */
  const remembers = (...wanted: readonly string[]) =>
    eventually(() => {
      const places = wanted.map((text) => texts().findIndex((known) => known.includes(text)));
      expect(places).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    });

  describe('what the model remembers', () => {
    it('begins with what was said before the session', async () => {
      const { harness, open } = bench();
      const history: RealtimeHistoryItem[] = [
        { role: 'assistant', text: 'Hello, this is the clinic.' },
        { role: 'user', text: 'I would like to come on Friday.' },
        { role: 'tool_call', call: { id: 'call_1', name: 'find_slots', arguments: '{"day":"Friday"}' } },
        { role: 'tool_result', callId: 'call_1', text: '{"slots":["nine","ten"]}' },
        { role: 'system', text: 'The caller is a new patient.' },
        { role: 'assistant', text: 'There is nine or ten.' },
      ];
      const listener = await open({ history }).ready();
      await remembers(
        'Hello, this is the clinic.',
        'I would like to come on Friday.',
        'find_slots',
        '{"slots":["nine","ten"]}',
        'The caller is a new patient.',
        'There is nine or ten.',
      );
      expect(listener.of('response_started')).toEqual([]);
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(harness.phrases[0]!.answer);
    });

    it('reads a note and an added fact before the next response', async () => {
      const { open } = bench();
      const listener = await open().ready();
      listener.session.addNote('Tell them that parking is free.');
      listener.session.addItem({ role: 'user', text: 'The caller pressed the key 4.' });
      listener.session.addItem({ role: 'assistant', text: 'You pressed four.' });
      await moment();
      expect(listener.of('response_started')).toEqual([]);
      await listener.completed(listener.session.respond({ verbatim: 'Very well, let me see.' }));
      await remembers(
        'Tell them that parking is free.',
        'The caller pressed the key 4.',
        'You pressed four.',
        'Very well, let me see.',
      );
    });

    it('takes notes and facts that come while it connects, in their order', async () => {
      const { harness, open } = bench();
      const release = harness.faults.holdNextHandshake();
      const listener = open({ history: [{ role: 'user', text: 'First of all.' }] });
      listener.session.addNote('Second of all.');
      const response = listener.session.respond({ verbatim: 'Third of all.' });
      await eventually(() => expect(harness.attempts()).toBe(1));
      release();
      await listener.completed(response);
      await remembers('First of all.', 'Second of all.', 'Third of all.');
    });

    it.runIf(truncates)('ends where the caller stopped hearing it', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
      listener.session.truncate(response, 300);
      await eventually(() => {
        const said = harness.memory().findLast((item) => item.role === 'assistant')!;
        expect(said.audioMs).toBe(300);
        expect(plain(said.text)).not.toBe(harness.phrases[0]!.answer);
      });
      expect(listener.of('failed')).toEqual([]);
    });

    it.runIf(truncates)('ends there for a response that was cancelled, too', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.stallNextResponse();
      const response = listener.ask(harness.phrases[0]!.frames);
      await eventually(() => expect(listener.audioMs(response)).toBeGreaterThan(100));
      listener.session.cancel(response);
      listener.session.truncate(response, 80);
      await eventually(() => {
        expect(harness.memory().findLast((item) => item.role === 'assistant')?.audioMs).toBe(80);
      });
    });

    it.runIf(truncates)('is cut no later than at the end of the audio', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
      listener.session.truncate(response, 3_600_000);
      const next = listener.ask(harness.phrases[1]!.frames);
      await listener.completed(next);
      expect(listener.of('failed')).toEqual([]);
      const first = harness.memory().find((item) => item.role === 'assistant')!;
      expect(first.audioMs).toBeLessThanOrEqual(Math.ceil(listener.audioMs(response)));
    });

    it.runIf(discards)('has no trace of what was no turn', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      listener.say(harness.phrases[0]!.frames);
      listener.session.discard();
      const response = listener.ask(harness.phrases[1]!.frames);
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(harness.phrases[1]!.answer);
      await eventually(() => expect(listener.heard().map(plain)).toEqual([harness.phrases[1]!.text]));
    });
  });
}
