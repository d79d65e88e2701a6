import { dtmfTones } from '@voice/shared/audio/dtmf';
import { L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { encodeSamples } from '@voice/shared/audio/samples';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RenderedPhone, renderPhone } from '../testing/answered-phone.js';
import { MACHINES, PERSONS } from '../testing/answers.js';
import { type Beep, BeepDetector } from './beep-detector.js';

const samplesOf = (ms: number, rate = PHONE_SAMPLE_RATE) => new Int16Array((ms * rate) / 1000);

function tone(ms: number, ...hertz: number[]): Int16Array {
  return samplesOf(ms).map((_, n) =>
    hertz.reduce((sum, hz) => sum + (6000 / hertz.length) * Math.sin((2 * Math.PI * hz * n) / 8000), 0),
  );
}

function noise(ms: number, amplitude: number): Int16Array {
  let seed = 7;
  return samplesOf(ms).map(() => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return amplitude * ((seed / 2 ** 32) * 2 - 1);
  });
}

const added = (a: Int16Array, b: Int16Array) => a.map((sample, i) => sample + (b[i] ?? 0));
const joined = (...pieces: readonly Int16Array[]) => Int16Array.from(pieces.flatMap((piece) => [...piece]));

function beepsIn(samples: Int16Array): Beep[] {
  const beeps: Beep[] = [];
  const detector = new BeepDetector(PCMU_8K, (beep) => beeps.push(beep));
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    detector.write(encodeSamples('pcmu', samples.subarray(at, at + 160)));
  }
  return beeps;
}

const quiet = samplesOf(400);

describe('the beep detector', () => {
  it.each([400, 440, 850, 1000, 1400, 2000, 2180])('finds a tone of %i Hz that silence follows', (hz) => {
    const [beep, ...more] = beepsIn(joined(quiet, tone(500, hz), quiet));
    expect(more).toEqual([]);
    expect(beep?.hz).toBeGreaterThan(hz - 10);
    expect(beep?.hz).toBeLessThan(hz + 10);
    expect(beep?.ms).toBeGreaterThanOrEqual(460);
  });

  it('finds the shortest one, at any place in its frames', () => {
    for (let shift = 0; shift < 160; shift += 23) {
      expect(beepsIn(joined(samplesOf(200), new Int16Array(shift), tone(240, 1000), quiet))).toHaveLength(1);
    }
  });

  it('finds it over noise of a tenth of its amplitude', () => {
    const line = added(joined(quiet, tone(400, 1000), quiet), noise(1200, 600));
    expect(beepsIn(line)).toHaveLength(1);
  });

  it('finds it on lines of other formats', () => {
    for (const format of [PCMA_8K, L16_16K]) {
      const beeps: Beep[] = [];
      const detector = new BeepDetector(format, (beep) => beeps.push(beep));
      const rate = format.sampleRate;
      const samples = samplesOf(1200, rate).map((_, n) =>
        n > rate * 0.4 && n < rate * 0.8 ? 6000 * Math.sin((2 * Math.PI * 1000 * n) / rate) : 0,
      );
      const step = rate / 50;
      for (let at = 0; at < samples.length; at += step) {
        detector.write(encodeSamples(format.encoding, samples.subarray(at, at + step)));
      }
      expect(beeps).toHaveLength(1);
    }
  });

  it.each([
    ['too short', tone(140, 1000)],
    ['too long', tone(4000, 1000)],
    ['too low', tone(500, 300)],
    ['too high', tone(500, 2500)],
    ['two tones, as a ringing tone has', tone(500, 440, 480)],
    ['a glide', samplesOf(600).map((_, n) => 6000 * Math.sin((2 * Math.PI * (600 + n / 10) * n) / 8000))],
    ['noise', noise(600, 8000)],
    ['quiet', tone(500, 1000).map((sample) => sample / 80)],
  ])('ignores what is %s', (_, sound) => {
    expect(beepsIn(joined(quiet, sound, quiet))).toEqual([]);
  });

  it('ignores pressed keys', () => {
    expect(beepsIn(joined(quiet, decodeMulaw(dtmfTones('0123456789*#')), quiet))).toEqual([]);
  });

  it('ignores a tone that goes over into speech or another tone', () => {
    expect(beepsIn(joined(quiet, tone(400, 1000), noise(400, 6000), quiet))).toEqual([]);
    expect(beepsIn(joined(quiet, tone(400, 1000), tone(400, 1300)))).toEqual([]);
  });

  describe('over rendered phones', () => {
    const voice = startKeptVoice();
    const rendered: RenderedPhone[] = [];
    beforeAll(async () => {
      for (const phone of [...MACHINES.slice(0, 3), ...PERSONS.slice(0, 4)]) {
        rendered.push(await renderPhone(phone, voice, { variant: 'm3' }));
      }
    });
    afterAll(() => voice.close());

    it('finds each beep once, and none in speech', () => {
      for (const { phone, frames } of rendered) {
        const beeps: Beep[] = [];
        const detector = new BeepDetector(PCMU_8K, (beep) => beeps.push(beep));
        for (const frame of [
          ...frames,
          ...Array.from({ length: 10 }, () => new Uint8Array(160).fill(0xff)),
        ]) {
          detector.write(frame);
        }
        const expected = phone.sounds.filter((sound) => 'beep' in sound).length;
        expect([phone.name, beeps.length]).toEqual([phone.name, expected]);
      }
    });
  });
});
