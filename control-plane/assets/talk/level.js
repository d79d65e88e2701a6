/** Enough for a meter; only what changes is reported, so that the page rests while nobody speaks. */
const EVERY_MS = 33;
const STEP = 0.01;

/** How loud a stream is, 0..1, as it changes. Returns what stops it. */
export function followLevel(context, stream, onLevel) {
  const source = context.createMediaStreamSource(stream);
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let level = 0;
  let reported = 0;
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const loudness = Math.min(1, Math.sqrt(power) * 5);
    // Up at once, down slowly, as meters do.
    level = Math.max(loudness, level * 0.77);
    if (level < STEP) level = 0;
    if (level === reported || (level > 0 && Math.abs(level - reported) < STEP)) return;
    reported = level;
    onLevel(level);
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    source.disconnect();
    onLevel(0);
  };
}
