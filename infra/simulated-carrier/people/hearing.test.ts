import { encodeMulaw, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { describe, expect, it } from 'vitest';
import { loadHearing } from './hearing.js';
import { framesOf } from './phrasebook.js';

describe('a person’s ear', () => {
  it('hears speech, and neither digital silence nor soft noise', async () => {
    const voice = startLocalVoice();
    const chunks: Uint8Array[] = [];
    for await (const chunk of voice.speak({ text: 'Would you like to book an appointment?' }))
      chunks.push(chunk.audio);
    voice.close();
    const openEar = await loadHearing();
    const share = (frames: Uint8Array[]) => {
      const ear = openEar();
      const heard = frames.filter((frame) => ear.isSpeech(frame)).length / frames.length;
      ear.close();
      return heard;
    };
    expect(share(framesOf(Buffer.concat(chunks)))).toBeGreaterThan(0.7);
    expect(share(framesOf(new Uint8Array(16_000).fill(MULAW_SILENCE)))).toBe(0);
    const noise = Int16Array.from({ length: 16_000 }, (_, n) => ((n * 7919) % 41) - 20);
    expect(share(framesOf(encodeMulaw(noise)))).toBe(0);
  });
});
