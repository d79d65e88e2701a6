/** How loud a stream is, 0..1, at every animation frame. Returns what stops it. */
export function followLevel(context, stream, onLevel) {
  const source = context.createMediaStreamSource(stream);
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let level = 0;
  let frame = requestAnimationFrame(function look() {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const loudness = Math.min(1, Math.sqrt(power) * 5);
    // Up at once, down slowly, as meters do.
    level = Math.max(loudness, level * 0.88);
    onLevel(level);
    frame = requestAnimationFrame(look);
  });
  return () => {
    cancelAnimationFrame(frame);
    source.disconnect();
    onLevel(0);
  };
}
