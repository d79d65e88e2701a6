export function followLevel(
  context: AudioContext,
  stream: MediaStream,
  onLevel: (level: number) => void,
): () => void;
