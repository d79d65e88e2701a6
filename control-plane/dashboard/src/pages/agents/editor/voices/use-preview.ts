import { useEffect, useRef, useState } from 'react';

export interface PreviewPlayer {
  /** The address that is heard now; null in silence. */
  readonly playing: string | null;
  /** Whether the last one could not be played. */
  readonly failed: boolean;
  /** Plays the address; stops it where it is heard already. */
  readonly toggle: (url: string) => void;
}

/** Plays one recording at a time, and none once its owner is gone. */
export function usePreview(): PreviewPlayer {
  const audio = useRef<HTMLAudioElement | null>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => () => audio.current?.pause(), []);
  const toggle = (url: string) => {
    audio.current?.pause();
    setFailed(false);
    if (playing === url) {
      setPlaying(null);
      return;
    }
    const player = new Audio(url);
    audio.current = player;
    const isCurrent = () => audio.current === player;
    player.onended = () => isCurrent() && setPlaying(null);
    setPlaying(url);
    player.play().catch((error: unknown) => {
      // Stopped by hand before it began.
      if (!isCurrent() || (error instanceof DOMException && error.name === 'AbortError')) return;
      setPlaying(null);
      setFailed(true);
    });
  };
  return { playing, failed, toggle };
}
