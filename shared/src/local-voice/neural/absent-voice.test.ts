import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../clock/clock.js';
import { startLocalVoice } from '../local-voice.js';

it('a neural voice that cannot be loaded in time leaves no caller in silence: espeak-ng speaks', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'voice-'));
  const config = join(dir, 'a.onnx.json');
  writeFileSync(
    config,
    JSON.stringify({
      audio: { sample_rate: 22050 },
      espeak: { voice: 'en-us' },
      inference: { length_scale: 1 },
      phoneme_id_map: { _: [0] },
      language: { code: 'en_US' },
    }),
  );
  const files = { name: 'a', model: join(dir, 'there-is-no-model.onnx'), config };
  const impatient = { ...systemClock, sleep: async () => {} };
  const voice = startLocalVoice({ clock: impatient, model: files });
  const plain = startLocalVoice();
  const spoken = async (one: typeof voice) => {
    const chunks: Uint8Array[] = [];
    for await (const { audio } of one.speak({ text: 'Hello.' })) chunks.push(audio);
    return Buffer.concat(chunks);
  };
  const [stoodIn, espeak] = await Promise.all([spoken(voice), spoken(plain)]);
  expect(stoodIn.length).toBeGreaterThan(0);
  expect(stoodIn.equals(espeak)).toBe(true);
  voice.close();
  plain.close();
  rmSync(dir, { recursive: true });
});
