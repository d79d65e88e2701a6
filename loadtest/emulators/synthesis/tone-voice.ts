import { encodeMulaw, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { charTimings, type RenderedSpeech, type SpeechSource } from './speech.js';

/** A usual speaking rate, in characters a second. */
const CHARACTERS_PER_SECOND = 14;
const PITCH_HZ = 120;
/** Syllables a second. */
const SYLLABLE_HZ = 4;
const PERIOD_SAMPLES = PHONE_SAMPLE_RATE * 2;

/** Made once a process: it takes longer than many a test, and nobody changes it. */
let period: Uint8Array | undefined;

/**
 * Builds a hum with the pitch, the overtones and the rhythm of speech: costs a copy of bytes, is always the same,
 * and sounds enough like a voice for a voice-activity detector.
 */
export function createToneVoice(): SpeechSource {
  period ??= hum();
  const wave = period;
  return {
    render: (text) => Promise.resolve(speak(text, wave)),
    close() {},
  };
}

function speak(text: string, period: Uint8Array): RenderedSpeech {
  const samples = Math.round(([...text].length / CHARACTERS_PER_SECOND) * PHONE_SAMPLE_RATE);
  const audio = new Uint8Array(samples);
  for (let at = 0; at < samples; at += period.length) {
    audio.set(period.subarray(0, Math.min(period.length, samples - at)), at);
  }
  return { audio, chars: charTimings(text, [], (samples / PHONE_SAMPLE_RATE) * 1000) };
}

/** Builds two seconds of hum, a whole number of every wave in it, so that it loops without a click. */
function hum(): Uint8Array {
  const samples = new Int16Array(PERIOD_SAMPLES);
  for (let i = 0; i < PERIOD_SAMPLES; i++) {
    const t = i / PHONE_SAMPLE_RATE;
    const syllable = 0.55 - 0.45 * Math.cos(2 * Math.PI * SYLLABLE_HZ * t);
    let wave = 0;
    for (let overtone = 1; overtone <= 20; overtone++) {
      const hz = PITCH_HZ * overtone;
      // Loudest about 500 and 1,500 Hz, as an open vowel is.
      const loudness = 1 / (1 + ((hz - 500) / 300) ** 2) + 0.5 / (1 + ((hz - 1500) / 400) ** 2);
      wave += loudness * Math.sin(2 * Math.PI * hz * t);
    }
    samples[i] = Math.round(3500 * syllable * wave);
  }
  return encodeMulaw(samples);
}
