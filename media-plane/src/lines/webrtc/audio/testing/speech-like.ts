/**
 * Synthesizes something like speech, always the same: a gliding voice with moving formants, in syllables, with a hiss
 * here and there and a pause of half a second in every three.
 */
export function speechLike(seconds: number, sampleRate: number): Int16Array {
  let phase = 0;
  let seed = 1;
  return Int16Array.from({ length: seconds * sampleRate }, (_, n) => {
    const t = n / sampleRate;
    if (t % 3 > 2.5) return 0;
    seed = (seed * 16_807) % 2_147_483_647;
    const pitch = 130 + 30 * Math.sin(2 * Math.PI * 0.7 * t);
    phase += (2 * Math.PI * pitch) / sampleRate;
    const formant = 600 + 300 * Math.sin(2 * Math.PI * 1.3 * t);
    let voice = 0;
    for (let overtone = 1; overtone <= 22; overtone++) {
      const hz = overtone * pitch;
      const first = Math.exp(-(((hz - formant) / 250) ** 2));
      const second = 0.4 * Math.exp(-(((hz - 3 * formant) / 400) ** 2));
      voice += (first + second) * Math.sin(overtone * phase);
    }
    const syllable = Math.max(0.05, Math.sin(2 * Math.PI * 2.1 * t));
    const hiss = t % 0.9 > 0.8 ? ((seed / 2_147_483_647) * 2 - 1) * 0.15 : 0;
    return 9000 * (voice * syllable + hiss);
  });
}
