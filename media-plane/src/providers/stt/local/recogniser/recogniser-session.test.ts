import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SttEvent, SttOptions, SttSession } from '../../port.js';
import { createLocalSpeechToText } from '../local.js';
import type { Transcription } from './moonshine.js';
import { RecogniserServer } from './recogniser-server.js';

/** A vowel of 20 ms: something that may be speech. */
const vowel = (ms: number, hz = 8000) =>
  Int16Array.from({ length: (ms * hz) / 1000 }, (_, n) => 9000 * Math.sin((2 * Math.PI * 150 * n) / hz));
const VOWEL = encodeMulaw(vowel(20));

describe('a call’s recogniser session', () => {
  let dir: string;
  let server: RecogniserServer;
  let events: SttEvent[];
  let session: SttSession;
  /** Seconds of audio that the model was given, and what it answers. */
  let asked: number[];
  let transcribe: (seconds: number) => Promise<Transcription>;
  let unused: number;
  const heard = (text: string): Transcription => ({ text, tokens: 4, confidence: 0.9 });

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'recogniser-'));
    events = [];
    asked = [];
    unused = 0;
    transcribe = async (seconds) => heard(`${seconds.toFixed(1)} seconds.`);
    server = new RecogniserServer({
      socketPath: join(dir, 's'),
      clock: systemClock,
      transcribe: (audio) => {
        asked.push(audio.length / 16_000);
        return transcribe(audio.length / 16_000);
      },
      unusedMs: 1,
      onUnused: () => unused++,
    });
    expect(await server.listen()).toBe(true);
  });
  afterEach(async () => {
    session?.close();
    await server.close();
    rmSync(dir, { recursive: true });
  });

  function open(options: Partial<SttOptions> = {}) {
    const recogniser = { socketPath: join(dir, 's'), logPath: undefined, start: () => {}, keep: () => {} };
    session = createLocalSpeechToText({ recogniser, language: 'en' }).open({
      choice: { provider: 'local', model: '', params: {} },
      credentials: {},
      format: PCMU_8K,
      language: 'en-US',
      endpointingMs: 300,
      clock: systemClock,
      log: silentLog,
      onEvent: (event) => events.push(event),
      ...options,
    });
  }
  const speak = (ms: number, frame = VOWEL) => {
    for (let left = ms; left > 0; left -= 20) session.write(frame);
  };
  const texts = () =>
    events.flatMap((event) =>
      event.type === 'transcript' ? [`${event.final ? 'final' : 'interim'}: ${event.text}`] : [],
    );

  it('hears utterances with a moment before and behind them, and nothing between', async () => {
    open();
    speak(1000);
    session.voiceActivity(true, 900);
    speak(400);
    session.voiceActivity(false, 1200);
    await expect.poll(texts).toEqual(['final: 0.7 seconds.']);
    expect(events[0]).toMatchObject({ startMs: 900, endMs: 1200, confidence: 0.9 });
    speak(5000);
    await expect.poll(texts).toHaveLength(1);
  });

  it('gives interims every 300 ms of speech, without a full stop, one at a time', async () => {
    open();
    session.voiceActivity(true, 0);
    speak(500);
    await expect.poll(texts).toEqual(['interim: 0.5 seconds']);
    speak(280);
    speak(20);
    await expect.poll(texts).toEqual(['interim: 0.5 seconds', 'interim: 0.8 seconds']);
    expect(asked).toHaveLength(2);
  });

  it('takes an interim that reaches behind the end of speech for the final one: nobody waits', async () => {
    open();
    session.voiceActivity(true, 0);
    speak(520);
    await expect.poll(texts).toHaveLength(1);
    session.voiceActivity(false, 400);
    expect(texts()).toEqual(['interim: 0.5 seconds', 'final: 0.5 seconds.']);
    expect(asked).toHaveLength(1);
  });

  it('cuts speech that does not pause, and joins the words of what overlaps', async () => {
    transcribe = async (seconds) => heard(seconds > 5 ? 'one two three four' : 'four five six');
    open();
    session.voiceActivity(true, 0);
    for (let n = 0; n < 100; n++) {
      speak(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    session.voiceActivity(false, 10_000);
    const finals = () => texts().filter((text) => text.startsWith('final'));
    await expect.poll(finals).toEqual(['final: one two three four', 'final: five six']);
    expect(Math.max(...asked)).toBeLessThanOrEqual(9.6);
  });

  it('takes an interim back when the final says that there was no speech', async () => {
    let count = 0;
    transcribe = async () => heard(count++ === 0 ? 'Hello there.' : '♪');
    open();
    session.voiceActivity(true, 0);
    speak(500);
    await expect.poll(texts).toHaveLength(1);
    speak(100);
    session.voiceActivity(false, 590);
    await expect.poll(texts).toEqual(['interim: Hello there', 'final: ']);
  });

  it('does not ask the model about silence and noise', async () => {
    open();
    session.voiceActivity(true, 0);
    speak(1000, new Uint8Array(160).fill(0xff));
    session.voiceActivity(false, 900);
    session.voiceActivity(true, 1000);
    speak(600);
    session.voiceActivity(false, 1400);
    await expect.poll(() => texts().length).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('hears wide-band lines as they are', async () => {
    open({ format: L16_16K });
    const frame = new Uint8Array(vowel(20, 16_000).buffer);
    speak(400, frame);
    expect(session.audioMs).toBe(400);
    session.voiceActivity(true, 0);
    session.voiceActivity(false, 400);
    await expect.poll(texts).toEqual(['final: 0.4 seconds.']);
  });

  it('lets the last interim stand in where the model fails', async () => {
    let count = 0;
    transcribe = async () => {
      if (count++ === 0) return heard('Hello there.');
      throw new Error('out of memory');
    };
    open();
    session.voiceActivity(true, 0);
    speak(500);
    await expect.poll(texts).toHaveLength(1);
    speak(100);
    session.voiceActivity(false, 590);
    await expect.poll(texts).toEqual(['interim: Hello there', 'final: Hello there.']);
  });

  it('is one for all: a second recogniser at the same place steps back', async () => {
    const second = new RecogniserServer({
      socketPath: join(dir, 's'),
      clock: systemClock,
      transcribe: async () => heard(''),
      unusedMs: 1,
      onUnused: () => {},
    });
    expect(await second.listen()).toBe(false);
  });

  it('ends when nobody is connected any more', async () => {
    open();
    session.voiceActivity(true, 0);
    speak(500);
    await expect.poll(texts).toHaveLength(1);
    unused = 0;
    session.close();
    await expect.poll(() => unused).toBe(1);
  });

  it.each([
    ['the script of a simulated person by default', { captionsUrl: 'ws://127.0.0.1:1/captions/CA1' }, {}, 0],
    [
      'the model when it is asked for',
      { captionsUrl: 'ws://127.0.0.1:1/captions/CA1' },
      { ears: 'model' },
      1,
    ],
    ['the model for everyone else', {}, {}, 1],
    ['nothing of another language than the model’s', { language: 'de-DE' }, {}, 0],
  ])('hears %s', async (_, options, params, questions) => {
    open({ ...options, choice: { provider: 'local', model: '', params } });
    session.voiceActivity(true, 0);
    speak(500);
    if (questions > 0) await expect.poll(() => asked).toHaveLength(questions);
    else await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(questions);
  });

  it('says what to do where the model was asked for and there is none', async () => {
    session = createLocalSpeechToText().open({
      choice: { provider: 'local', model: '', params: { ears: 'model' } },
      credentials: {},
      format: PCMU_8K,
      language: 'en-US',
      endpointingMs: 300,
      clock: systemClock,
      log: silentLog,
      onEvent: (event) => events.push(event),
    });
    await expect.poll(() => events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      error: {
        code: 'stt_bad_request',
        retryable: false,
        message: expect.stringContaining('npm run models'),
      },
    });
  });
});
