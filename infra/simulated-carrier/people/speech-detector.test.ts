import { encodeMulaw, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { describe, expect, it } from 'vitest';
import { framesOf } from './phrasebook.js';
import { loadSpeechDetector } from './speech-detector.js';

describe('speech detection', () => {
  it('detects speech, and neither digital silence nor soft noise', async () => {
    const voice = startKeptVoice();
    const chunks: Uint8Array[] = [];
    for await (const chunk of voice.speak({ text: 'Would you like to book an appointment?' }))
      chunks.push(chunk.audio);
    voice.close();
    const createSpeechDetector = await loadSpeechDetector();
    const share = (frames: Uint8Array[]) => {
      const detector = createSpeechDetector();
      const share = frames.filter((frame) => detector.isSpeech(frame)).length / frames.length;
      detector.close();
      return share;
    };
    expect(share(framesOf(Buffer.concat(chunks)))).toBeGreaterThan(0.7);
    expect(share(framesOf(new Uint8Array(16_000).fill(MULAW_SILENCE)))).toBe(0);
    const noise = Int16Array.from({ length: 16_000 }, (_, n) => ((n * 7919) % 41) - 20);
    expect(share(framesOf(encodeMulaw(noise)))).toBe(0);
  });
});
