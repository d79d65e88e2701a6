import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeMulaw } from '../audio/g711.js';
import { ScriptedClock } from '../clock/scripted-clock.js';
import { ServiceError } from '../errors/service-error.js';
import { type LocalVoice, type SpeechRequest, type SpokenWord, startLocalVoice } from './local-voice.js';

const GREETING = 'Hello, this is Ada from the dental clinic.';

async function render(voice: LocalVoice, request: SpeechRequest, signal?: AbortSignal) {
  const chunks: Uint8Array[] = [];
  const words: SpokenWord[] = [];
  for await (const chunk of voice.speak(request, signal)) {
    chunks.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  return { audio: Buffer.concat(chunks), words, chunks: chunks.length };
}

function loudness(audio: Uint8Array): number {
  const samples = decodeMulaw(audio);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** The processor's time that a process has had, in ticks (proc(5), fields 14 and 15): a busy machine takes none of it. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Whether the process still exists. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the local voice', () => {
  let voice: LocalVoice;
  beforeAll(async () => {
    voice = startLocalVoice({ cacheBytes: 0 });
    await voice.ready();
  });
  afterAll(() => voice.close());

  it('speaks a sentence as mu-law, chunk by chunk, with the timings of its words', async () => {
    const { audio, words, chunks } = await render(voice, { text: GREETING, language: 'en-US' });
    expect(audio.length / 8).toBeGreaterThan(1500);
    expect(audio.length / 8).toBeLessThan(3500);
    expect(chunks).toBeGreaterThan(3);
    expect(loudness(audio)).toBeGreaterThan(500);
    expect(words.map((word) => word.text).join(' ')).toBe(GREETING);
    for (const [i, word] of words.entries()) {
      expect(word.endMs).toBeGreaterThanOrEqual(word.startMs);
      if (i > 0) expect(word.startMs).toBeGreaterThanOrEqual(words[i - 1]!.endMs);
      expect(word.endMs).toBeLessThanOrEqual(audio.length / 8 + 20);
      const heard = audio.subarray(Math.round(word.startMs * 8), Math.round(word.endMs * 8));
      expect(loudness(heard), word.text).toBeGreaterThan(300);
    }
    const pause = audio.subarray(Math.round(words[0]!.endMs * 8) + 400, Math.round(words[1]!.startMs * 8));
    expect(loudness(pause)).toBeLessThan(50);
  });

  it('says the same text with the same bytes, whatever was said between', async () => {
    const first = await render(voice, { text: GREETING });
    const other = await render(voice, { text: 'Something else.', voice: '+f3', rate: 220 });
    const stopped = new AbortController();
    for await (const _ of voice.speak({ text: 'This one is stopped in the middle of it.' }, stopped.signal))
      break;
    const again = await render(voice, { text: GREETING });
    expect(again.audio.equals(first.audio)).toBe(true);
    expect(other.audio.equals(first.audio)).toBe(false);
  });

  it('speaks other languages, also with a region that espeak-ng does not list', async () => {
    const german = await render(voice, { text: 'Grüße aus Köln.', language: 'de-DE' });
    const english = await render(voice, { text: 'Grüße aus Köln.', language: 'en-US' });
    expect(german.words.map((word) => word.text)).toEqual(['Grüße', 'aus', 'Köln.']);
    expect(german.audio.equals(english.audio)).toBe(false);
  });

  it('refuses a voice that does not exist, and speaks on', async () => {
    await expect(render(voice, { text: 'Hello.', voice: 'klingonisch' })).rejects.toMatchObject({
      code: 'local_voice_unknown_voice',
      retryable: false,
    });
    expect((await render(voice, { text: 'Hello.' })).audio.length).toBeGreaterThan(0);
  });

  it('gives no audio for a text without words', async () => {
    expect((await render(voice, { text: '   ' })).audio.length).toBe(0);
  });

  it('speaks what no one should write: endless words, control characters, half characters', async () => {
    const before = await render(voice, { text: GREETING });
    for (const text of ['x'.repeat(3000), 'a\u0000b\u0007c', '\ud83d', '[[ <>& %s']) {
      await render(voice, { text });
      expect((await render(voice, { text: GREETING })).audio.equals(before.audio)).toBe(true);
    }
  });

  it.runIf(process.platform === 'linux')('stops in the middle of a text when it is aborted', async () => {
    const text = `${GREETING} `.repeat(50);
    const before = cpuTicks(voice.pid!);
    await render(voice, { text, rate: 180 });
    const whole = cpuTicks(voice.pid!) - before;
    const abort = new AbortController();
    const reason = new Error('the caller interrupts');
    const speaking = (async () => {
      let bytes = 0;
      for await (const chunk of voice.speak({ text }, abort.signal)) {
        bytes += chunk.audio.length;
        abort.abort(reason);
      }
      return bytes;
    })();
    await expect(speaking).rejects.toBe(reason);
    // The process does not go on with the rest of the text: it has time for as much again.
    const stopped = cpuTicks(voice.pid!);
    await render(voice, { text, rate: 180 });
    expect(cpuTicks(voice.pid!) - stopped).toBeLessThan(1.5 * whole);
  });

  it('lets a short text overtake a long one', async () => {
    const order: string[] = [];
    const long = render(voice, { text: `${GREETING} `.repeat(60) }).then(() => order.push('long'));
    const short = render(voice, { text: 'Me too.' }).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('counts the words of a text that was cut into pieces from the beginning of the whole', async () => {
    const text = `${GREETING} `.repeat(15).trim();
    const { audio, words } = await render(voice, { text });
    expect(words.map((word) => word.text).join(' ')).toBe(text);
    expect(words.at(-1)!.endMs).toBeGreaterThan(audio.length / 8 - 1000);
    expect(words.every((word, i) => i === 0 || word.startMs >= words[i - 1]!.startMs)).toBe(true);
  });

  it('fails what is in flight when its process dies, and starts it again', async () => {
    const own = startLocalVoice({ cacheBytes: 0 });
    await own.ready();
    const dead = own.pid!;
    const speaking = (async () => {
      for await (const _ of own.speak({ text: `${GREETING} `.repeat(50) })) process.kill(dead, 'SIGKILL');
    })();
    const failure = await speaking.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({ code: 'local_voice_crashed', retryable: true });
    await own.ready();
    expect((await render(own, { text: GREETING })).audio.length).toBeGreaterThan(8000);
    const second = own.pid!;
    expect(second).not.toBe(dead);
    own.close();
    await expect(render(own, { text: 'Too late.' })).rejects.toMatchObject({ code: 'local_voice_closed' });
    await expect.poll(() => alive(second)).toBe(false);
  });

  it('gives signs, and no sound, while espeak-ng is being started, for half a minute at most', async () => {
    const clock = new ScriptedClock();
    const own = startLocalVoice({ clock, cacheBytes: 0 });
    process.kill(own.pid!, 'SIGSTOP');
    const speech = own.speak({ text: GREETING })[Symbol.asyncIterator]();
    for (let n = 0; n < 30; n++) {
      const sign = speech.next();
      await clock.advanceAsync(1100, 100);
      expect((await sign).value).toEqual({ audio: new Uint8Array(0) });
    }
    const spoken = speech.next();
    await clock.advanceAsync(60_000);
    expect(await Promise.race([spoken, 'nothing'])).toBe('nothing');
    process.kill(own.pid!, 'SIGCONT');
    expect((await spoken).value?.audio.length).toBeGreaterThan(0);
    await speech.return?.();
    own.close();
  });

  it('repeats a greeting from memory without asking espeak-ng again', async () => {
    const own = startLocalVoice();
    await own.ready();
    const first = await render(own, { text: GREETING });
    process.kill(own.pid!, 'SIGKILL');
    await expect.poll(() => own.pid).toBeUndefined();
    const again = await render(own, { text: GREETING });
    expect(again.audio.equals(first.audio)).toBe(true);
    expect(again.words).toEqual(first.words);
    own.close();
  });

  it('starts espeak-ng only for a text that no process has kept, or when it is to be ready', async () => {
    const keepIn = await mkdtemp(join(tmpdir(), 'voice-kept-'));
    const [first, second] = [startLocalVoice({ keepIn }), startLocalVoice({ keepIn })];
    try {
      await second.ready();
      const spoken = await render(first, { text: GREETING });
      expect(first.pid).toBeDefined();
      // Written whole, a text is kept under a name without an ending.
      await expect.poll(() => readdirSync(keepIn)).toEqual([expect.not.stringContaining('.')]);
      const kept = await render(second, { text: GREETING });
      expect(kept.audio.equals(spoken.audio)).toBe(true);
      expect(kept.words).toEqual(spoken.words);
      expect(second.pid).toBeUndefined();
      const third = startLocalVoice({ keepIn });
      void third.warm();
      expect(third.pid).toBeDefined();
      third.close();
      second.close();
      await expect(render(second, { text: 'Too late.' })).rejects.toMatchObject({
        code: 'local_voice_closed',
      });
    } finally {
      first.close();
      second.close();
      await rm(keepIn, { recursive: true });
    }
  });
});
