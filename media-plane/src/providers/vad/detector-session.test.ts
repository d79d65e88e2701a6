import { type AudioFormat, L16_8K, PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw, FRAME_BYTES } from '@voice/shared/audio/g711';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DetectorSession } from './detector-session.js';
import type { VadEvent, VadSettings } from './port.js';
import { WINDOW_SAMPLES } from './silero-model.js';
import type { Urgency } from './urgency.js';

const SETTINGS: VadSettings = { on: 0.5, off: 0.35, minSpeechMs: 60, minSilenceMs: 200 };
const tone = (amplitude: number) =>
  encodeMulaw(
    Int16Array.from({ length: FRAME_BYTES }, (_, n) => amplitude * Math.sin((2 * Math.PI * 300 * n) / 8000)),
  );
const LOUD = tone(8000);

const QUIET_FRAME = encodeMulaw(new Int16Array(FRAME_BYTES));

/** A session whose gate and model are the test's. */
function session(format: AudioFormat = PCMU_8K) {
  const gate = { open: true };
  const events: VadEvent[] = [];
  const urgencies: Urgency[] = [];
  const counted = { closed: 0, gated: 0, assumed: 0, skipped: 0 };
  const vad = new DetectorSession({
    gate: { mayBeSpeech: () => gate.open, close: () => {} },
    settings: { ...SETTINGS, format },
    onEvent: (event) => events.push(event),
    owner: {
      waiting: (urgency) => urgencies.push(urgency),
      closed: () => counted.closed++,
      gated: () => counted.gated++,
      assumed: () => counted.assumed++,
      skipped: () => counted.skipped++,
    },
  });
  /** Eight frames are five windows. */
  const write = (frames: number, frame = LOUD) => {
    for (let n = 0; n < frames; n++) vad.write(frame);
  };
  /** Answers all that waits, as the model would. */
  const answer = (probability: number | undefined) => {
    let windows = 0;
    for (; vad.hasWaiting; windows++) {
      if (!vad.take()) break;
      vad.judge(probability);
    }
    return windows;
  };
  return { vad, gate, events, urgencies, counted, write, answer };
}

describe('a session', () => {
  it('cuts the audio into windows and turns their probabilities into events', () => {
    const { events, write, answer } = session();
    write(8);
    expect(answer(0.9)).toBe(5);
    expect(events).toEqual([{ type: 'speech_started', atMs: 0 }]);
  });

  it('gives the model the samples as they were written', () => {
    const { vad, write } = session();
    write(8);
    const window = vad.take()!;
    expect(window.samples).toHaveLength(WINDOW_SAMPLES);
    expect(window.samples[20]! * 32_768).toBeCloseTo(8000 * Math.sin((2 * Math.PI * 300 * 20) / 8000), -3);
  });

  it('gives the model whole windows in order, whatever is judged while others are filled', () => {
    const steps = fc.array(fc.constantFrom('open', 'shut', 'frame', 'take', 'sure', 'unsure', 'failed'), {
      minLength: 200,
      maxLength: 600,
    });
    let looked = 0;
    const check = (todo: readonly string[]) => {
      const { vad, gate } = session(L16_8K);
      // Each sample is its own place: a window that was filled again too early shows it.
      let at = 0;
      const frame = () => {
        const samples = Int16Array.from({ length: FRAME_BYTES }, () => at++);
        return new Uint8Array(samples.buffer);
      };
      let taken: { readonly from: number; readonly samples: Float32Array } | undefined;
      let last = -1;
      const look = () => {
        const samples = vad.take()?.samples;
        if (!samples) return;
        const from = samples[0]! * 32_768;
        expect(from % WINDOW_SAMPLES).toBe(0);
        expect(from).toBeGreaterThan(last);
        last = from;
        taken = { from, samples };
      };
      const judge = (probability: number | undefined) => {
        if (!taken) return;
        const { from, samples } = taken;
        expect(Array.from(samples, (sample) => sample * 32_768)).toEqual(
          Array.from({ length: WINDOW_SAMPLES }, (_, n) => from + n),
        );
        looked++;
        taken = undefined;
        vad.judge(probability);
      };
      for (const step of todo) {
        if (step === 'open' || step === 'shut') gate.open = step === 'open';
        else if (step === 'frame') vad.write(frame());
        else if (step === 'take') {
          if (!taken) look();
        } else judge(step === 'failed' ? undefined : step === 'sure' ? 0.95 : 0.2);
      }
    };
    fc.assert(fc.property(steps, check), { numRuns: 100 });
    expect(looked).toBeGreaterThan(100);
  });

  it('judges by the gate alone what the gate calls silence, but in order', () => {
    const { gate, counted, write, answer } = session();
    write(8);
    gate.open = false;
    write(16);
    // 100 ms behind the last frame that may be speech the gate closes; these windows wait behind the others.
    expect(counted.gated).toBe(0);
    const looked = answer(0.9);
    expect(looked).toBe(9);
    expect(counted.gated).toBe(15 - 9);
  });

  it('looks at the window before the gate opened, too: a beginning may be in it', () => {
    const { gate, counted, write, answer } = session();
    gate.open = false;
    write(8);
    expect(counted.gated).toBe(5);
    gate.open = true;
    write(8);
    expect(answer(0.9)).toBe(5 + 1);
  });

  describe('is urgent', () => {
    it('where speech may begin, and not in the midst of it', () => {
      const { vad, gate, events, urgencies, write, answer } = session();
      gate.open = false;
      write(8, QUIET_FRAME);
      gate.open = true;
      write(2);
      vad.take();
      vad.judge(0);
      answer(0.9);
      expect([urgencies, events]).toEqual([['soon'], []]);
      write(2);
      answer(0.9);
      expect([urgencies, events.length]).toEqual([['soon', 'now'], 1]);
      write(3);
      expect(urgencies.slice(2)).toEqual(['later', 'later']);
    });

    it('where speech may be over: after the silence that it takes, or when as much waits', () => {
      const { events, urgencies, write, answer } = session();
      write(8);
      answer(0.9);
      urgencies.length = 0;
      write(8);
      // Three windows of silence would be sure.
      expect(urgencies).toEqual(['later', 'later', 'now', 'now', 'now']);
      answer(0.1);
      write(2);
      answer(0.1);
      expect([urgencies.slice(5), events.length]).toEqual([['later'], 1]);
      write(2);
      answer(0.1);
      expect(urgencies.slice(6)).toEqual(['now']);
      expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
    });

    it('where the gate ends speech behind a window that waits', () => {
      const { gate, events, urgencies, write, answer } = session();
      write(8);
      answer(0.9);
      gate.open = false;
      write(5);
      answer(0.1);
      urgencies.length = 0;
      write(7);
      expect(urgencies).toEqual(['later', 'now', 'now']);
      answer(0.1);
      expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
    });
  });

  describe('while a voice goes on', () => {
    /** Plays ten times five windows of it, after a little of what the line sounds like; windows that were looked at. */
    function looked(voice: Uint8Array, line: Uint8Array, probability: number) {
      const { events, counted, write, answer } = session();
      write(8, line);
      answer(0.01);
      let windows = 0;
      for (let n = 0; n < 10; n++) {
        write(8, voice);
        windows += answer(probability);
      }
      return { windows, assumed: counted.assumed, events };
    }

    it('is looked at every second window', () => {
      const { windows, assumed, events } = looked(LOUD, tone(50), 0.95);
      expect([windows, assumed]).toEqual([26, 24]);
      expect(events).toEqual([{ type: 'speech_started', atMs: 160 }]);
    });

    it('is looked at every window where the model is less sure, or the line is noisy', () => {
      expect(looked(LOUD, tone(50), 0.85).windows).toBe(50);
      expect(looked(LOUD, tone(800), 0.95).windows).toBe(50);
    });

    it('is looked at every window as soon as it falls', () => {
      const { write, answer } = session();
      write(8, tone(50));
      answer(0.01);
      write(16);
      answer(0.95);
      write(8, tone(1000));
      expect(answer(0.95)).toBe(5);
    });
  });

  it('lets the model begin anew after a silence that it was not shown', () => {
    const { vad, gate, write, answer } = session();
    write(8);
    const { stream } = vad.take()!;
    stream.state.fill(0.5);
    vad.judge(0.01);
    answer(0.01);
    expect(stream.state[0]).toBe(0.5);
    gate.open = false;
    write(16);
    answer(0.01);
    gate.open = true;
    write(8);
    expect(vad.take()!.stream.state.every((unit) => unit === 0)).toBe(true);
    stream.state.fill(0.5);
    vad.judge(0.01);
    vad.take();
    expect(stream.state[0]).toBe(0.5);
  });

  it('takes the first word of the model out of a silence, where the sound has lasted; otherwise the second', () => {
    const heard = (soundFrames: number) => {
      const { vad, gate, events, write } = session();
      gate.open = false;
      for (let n = 0; n < 48; n++) vad.write(QUIET_FRAME);
      gate.open = true;
      write(soundFrames);
      // The model is late: it finds speech in the last whole window alone.
      for (let window = vad.take(); window; window = vad.take()) vad.judge(vad.hasWaiting ? 0.1 : 0.9);
      return events;
    };
    expect(heard(4)).toEqual([]);
    expect(heard(6)).toEqual([{ type: 'speech_started', atMs: 960 }]);
  });

  it('whose model fails goes on as before the failure', () => {
    const { events, counted, write, answer } = session();
    write(8);
    answer(0.9);
    write(80);
    answer(undefined);
    expect(counted.skipped).toBeGreaterThan(0);
    expect(events.map(({ type }) => type)).toEqual(['speech_started']);
    write(24);
    answer(0.01);
    expect(events.map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
  });

  it('holds back no more than four seconds', () => {
    const { vad, counted, write } = session();
    write(500);
    let waiting = 0;
    for (; vad.take(); waiting++) vad.judge(0);
    expect(waiting).toBe(128);
    expect(counted.skipped).toBe((500 * FRAME_BYTES) / WINDOW_SAMPLES - 0.5 - 128);
  });
});
