import { bytesPerMs, silenceByte } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { moment } from '../../testing/moment.js';
import type { RealtimeBench } from './bench.js';
import type { RealtimeCapabilities } from './harness.js';
import { eventually, plain } from './listener.js';

export function describeConversation(bench: () => RealtimeBench, { changesTools }: RealtimeCapabilities) {
  describe('conversation', () => {
    it('reports that it is ready, once, and nothing of its own accord', async () => {
      const listener = await bench().open().ready();
      await moment();
      expect(listener.events).toEqual([{ type: 'ready' }]);
    });

    it('answers a turn of the caller with audio and the text of it', async () => {
      const { harness, open } = bench();
      const phrase = harness.phrases[0]!;
      const listener = await open().ready();
      const response = listener.ask(phrase.frames);
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(phrase.answer);
      const audio = listener.audio(response);
      expect(audio.length / bytesPerMs(harness.options.format)).toBeGreaterThan(500);
      expect(audio.some((byte) => byte !== silenceByte(harness.options.format))).toBe(true);
      const started = listener.of('response_started');
      expect(started).toEqual([{ type: 'response_started', response, unasked: false }]);
      const order = listener.events.map((event) => event.type);
      expect(order.indexOf('response_started')).toBeLessThan(order.indexOf('audio'));
      expect(order.lastIndexOf('audio')).toBeLessThan(order.indexOf('response_finished'));
      expect(order.lastIndexOf('text')).toBeLessThan(order.indexOf('response_finished'));
    });

    it('reports what the caller said, the last of it as final', async () => {
      const { harness, open } = bench();
      const phrase = harness.phrases[0]!;
      const listener = await open().ready();
      listener.ask(phrase.frames);
      await eventually(() => expect(listener.heard().map(plain)).toEqual([phrase.text]));
      const reports = listener.of('caller_transcript');
      expect(reports.at(-1)!.final).toBe(true);
      expect(reports.filter((event) => event.final)).toHaveLength(1);
    });

    it('keeps one turn apart from the next', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      for (const phrase of harness.phrases) {
        const response = listener.ask(phrase.frames);
        await listener.completed(response);
        expect(plain(listener.text(response))).toBe(phrase.answer);
      }
      await eventually(() =>
        expect(listener.heard().map(plain)).toEqual(harness.phrases.map((phrase) => phrase.text)),
      );
    });

    it('keeps audio that is written while it connects', async () => {
      const { harness, open } = bench();
      const phrase = harness.phrases[0]!;
      const release = harness.faults.holdNextHandshake();
      const listener = open();
      const response = listener.ask(phrase.frames);
      await eventually(() => expect(harness.attempts()).toBe(1));
      expect(listener.session.audioMs).toBe(0);
      release();
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(phrase.answer);
      expect(listener.session.audioMs).toBeGreaterThanOrEqual(phrase.frames.length * 20);
    });

    it('keeps only the latest audio while it connects', async () => {
      const { harness, open } = bench();
      const phrase = harness.phrases[0]!;
      const release = harness.faults.holdNextHandshake();
      const listener = open();
      listener.silence(90_000);
      const response = listener.ask(phrase.frames);
      await eventually(() => expect(harness.attempts()).toBe(1));
      release();
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(phrase.answer);
      expect(listener.session.audioMs).toBeLessThan(60_000);
    });

    it('says exactly what it is given, and calls no tool', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const verbatim = 'This call is recorded. You are talking to an automated assistant.';
      const response = listener.session.respond({ verbatim });
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(verbatim);
      expect(listener.audioMs(response)).toBeGreaterThan(500);
      expect(listener.of('tool_call')).toEqual([]);
      const next = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(next);
      expect(plain(listener.text(next))).toBe(harness.phrases[0]!.answer);
    });

    it('calls a tool whole and goes on with its result', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const response = listener.ask(harness.call.frames);
      await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
      const { call, ...rest } = listener.of('tool_call')[0]!;
      expect(rest).toEqual({ type: 'tool_call', response });
      expect(call.name).toBe(harness.call.name);
      expect(call.id).not.toBe('');
      expect(JSON.parse(call.arguments)).toEqual(harness.call.arguments);
      listener.session.addItem({ role: 'tool_result', callId: call.id, text: '{"ok":true}' });
      const next = listener.session.respond();
      await listener.completed(next);
      expect(plain(listener.text(next))).toBe(harness.call.answer);
      expect(listener.of('tool_call')).toHaveLength(1);
    });

    it.runIf(changesTools)('offers tools that arrive later', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      const before = listener.ask(harness.lateTool.frames);
      await listener.completed(before);
      expect(listener.of('tool_call')).toEqual([]);
      listener.session.setTools([...harness.options.tools, harness.lateTool.tool]);
      listener.ask(harness.lateTool.frames);
      await eventually(() => expect(listener.of('tool_call')).toHaveLength(1));
      expect(listener.of('tool_call')[0]!.call.name).toBe(harness.lateTool.tool.name);
    });

    it('reports what a response used, by modality', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      for (const phrase of harness.phrases.slice(0, 2)) {
        await listener.completed(listener.ask(phrase.frames));
      }
      await eventually(() => {
        const usage = listener.usage();
        expect(usage.inputAudioTokens).toBeGreaterThan(0);
        expect(usage.inputTextTokens).toBeGreaterThan(0);
        expect(usage.outputAudioTokens).toBeGreaterThan(0);
      });
      for (const { usage } of listener.of('usage')) {
        expect(usage.cachedAudioTokens).toBeLessThanOrEqual(usage.inputAudioTokens);
        expect(usage.cachedTextTokens).toBeLessThanOrEqual(usage.inputTextTokens);
        for (const tokens of Object.values(usage)) expect(tokens).toBeGreaterThanOrEqual(0);
      }
    });

    it('serves many calls at once, each with its own words', async () => {
      const { harness, open } = bench();
      const listeners = Array.from({ length: 12 }, () => open());
      const asked = listeners.map((listener, index) => {
        const phrase = harness.phrases[index % harness.phrases.length]!;
        return { listener, phrase, response: listener.ask(phrase.frames) };
      });
      for (const { listener, phrase, response } of asked) {
        await listener.completed(response);
        expect(plain(listener.text(response))).toBe(phrase.answer);
      }
    });
  });
}
