import { describe, expect, it } from 'vitest';
import { moment } from '../../testing/moment.js';
import type { RealtimeBench } from './bench.js';
import type { RealtimeCapabilities } from './harness.js';
import { eventually, plain } from './listener.js';

export function describeTurns(bench: () => RealtimeBench, capabilities: RealtimeCapabilities) {
  describe('whose turn it is', () => {
    it('never begins a response or ends a turn by itself with our turn detection', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      listener.say(harness.phrases[0]!.frames);
      listener.silence(3000);
      await moment(150);
      for (const type of ['speech_started', 'end_of_turn', 'response_started', 'audio'] as const) {
        expect(listener.of(type)).toEqual([]);
      }
    });

    it('reports what its own turn detection finds', async () => {
      const { harness, open } = bench();
      const phrase = harness.phrases[0]!;
      const listener = await open({ turnDetection: 'provider' }).ready();
      listener.silence(400);
      listener.say(phrase.frames);
      listener.silence(2000);
      await eventually(() => expect(listener.of('end_of_turn')).toHaveLength(1));
      expect(listener.of('speech_started')).toHaveLength(1);
      const types = listener.events.map((event) => event.type);
      expect(types.indexOf('speech_started')).toBeLessThan(types.indexOf('end_of_turn'));
      if (capabilities.answersUnasked) {
        await eventually(() => expect(listener.of('response_started')).toHaveLength(1));
        expect(listener.of('response_started')[0]!.unasked).toBe(true);
      } else {
        await moment();
        expect(listener.of('response_started')).toEqual([]);
        listener.session.respond();
        await eventually(() => expect(listener.of('response_started')).toHaveLength(1));
        expect(listener.of('response_started')[0]!.unasked).toBe(false);
      }
      const { response } = listener.of('response_started')[0]!;
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(phrase.answer);
      await eventually(() => expect(listener.heard().map(plain)).toEqual([phrase.text]));
    });

    it('sends nothing more of a response that is cancelled', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.stallNextResponse();
      const response = listener.ask(harness.phrases[0]!.frames);
      await eventually(() => expect(listener.audioMs(response)).toBeGreaterThan(0));
      listener.session.cancel(response);
      const audioMs = listener.audioMs(response);
      const text = listener.text(response);
      await eventually(() => expect(listener.finished(response)?.outcome).toBe('cancelled'));
      await moment();
      expect(listener.audioMs(response)).toBe(audioMs);
      expect(listener.text(response)).toBe(text);
      expect(listener.of('failed')).toEqual([]);
      const next = listener.ask(harness.phrases[1]!.frames);
      await listener.completed(next);
      expect(plain(listener.text(next))).toBe(harness.phrases[1]!.answer);
    });

    it('can cancel a response before anything of it came', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const response = listener.ask(harness.phrases[0]!.frames);
      listener.session.cancel(response);
      await eventually(() => expect(listener.finished(response)?.outcome).toBe('cancelled'));
      await moment();
      expect(listener.audioMs(response)).toBe(0);
      expect(listener.text(response)).toBe('');
    });

    it('ignores the cancelling of what is over or never was', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
      const reported = listener.events.filter((event) => event.type !== 'caller_transcript').length;
      listener.session.cancel(response);
      listener.session.cancel(4711);
      listener.session.truncate(4711, 100);
      await moment();
      expect(listener.of('failed')).toEqual([]);
      expect(listener.finished(response)?.outcome).toBe('completed');
      const now = listener.events.filter(
        (event) => event.type !== 'caller_transcript' && event.type !== 'usage',
      );
      expect(now.length).toBeLessThanOrEqual(reported);
    });

    it('cancels a response that is under way when another is asked for', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.stallNextResponse();
      const first = listener.ask(harness.phrases[0]!.frames);
      await eventually(() => expect(listener.audioMs(first)).toBeGreaterThan(0));
      const second = listener.session.respond({ verbatim: 'One moment, please, and thank you.' });
      expect(second).not.toBe(first);
      const ofFirst = listener.audioMs(first);
      await listener.completed(second);
      expect(listener.finished(first)?.outcome).toBe('cancelled');
      expect(listener.audioMs(first)).toBe(ofFirst);
      expect(plain(listener.text(second))).toBe('One moment, please, and thank you.');
    });

    it('gives the last of many responses that are asked for at once', async () => {
      const { open } = bench();
      const listener = await open().ready();
      const texts = ['This is the first.', 'This is the second.', 'This is the third.'];
      const responses = texts.map((verbatim) => listener.session.respond({ verbatim }));
      await listener.completed(responses[2]!);
      expect(plain(listener.text(responses[2]!))).toBe(texts[2]);
      expect(listener.finished(responses[0]!)?.outcome).toBe('cancelled');
      expect(listener.finished(responses[1]!)?.outcome).toBe('cancelled');
    });

    it('reports nothing after it was closed, closed twice or closed while it connects', async () => {
      const { harness, open } = bench();
      const early = open();
      early.ask(harness.phrases[0]!.frames);
      early.session.close();
      const late = await open().ready();
      const response = late.ask(harness.phrases[0]!.frames);
      await eventually(() => expect(late.audioMs(response)).toBeGreaterThan(0));
      late.session.close();
      late.session.close();
      const reported = late.events.length;
      late.ask(harness.phrases[0]!.frames);
      late.session.cancel(response);
      late.session.truncate(response, 10);
      late.session.addNote('too late');
      late.session.setTools([]);
      late.session.discard();
      await moment(150);
      expect(early.events).toEqual([]);
      expect(late.events).toHaveLength(reported);
    });
  });
}
