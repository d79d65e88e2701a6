import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { charTimings, type SpeechSource } from './speech.js';

const BYTES_PER_MS = 8;

/** Creates real speech by the local voice; texts spoken before come from its cache. */
export function createEspeakVoice(language = 'en-US'): SpeechSource {
  const voice = startKeptVoice();
  return {
    async render(text, signal) {
      const parts: Uint8Array[] = [];
      const words = [];
      for await (const chunk of voice.speak({ text: text.trim(), language, voice: '+f2' }, signal)) {
        parts.push(chunk.audio);
        words.push(...(chunk.words ?? []));
      }
      const audio = new Uint8Array(Buffer.concat(parts));
      return { audio, chars: charTimings(text, words, audio.length / BYTES_PER_MS) };
    },
    close: () => voice.close(),
  };
}
