/** What an output plays: a turn of the agent's, or keys that it presses. Each kind is numbered from one. */
export type AudioId =
  | { readonly kind: 'turn'; readonly turn: number }
  | { readonly kind: 'keys'; readonly press: number };

export const turnAudio = (turn: number): AudioId => ({ kind: 'turn', turn });

export const keysAudio = (press: number): AudioId => ({ kind: 'keys', press });

export function isSameAudio(a: AudioId, b: AudioId): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && a.turn === b.turn;
  return b.kind === 'keys' && a.press === b.press;
}

/** Names an id for marks, logs and errors: `turn-3`, `keys-1`. */
export function audioName(id: AudioId): string {
  return id.kind === 'turn' ? `turn-${id.turn}` : `keys-${id.press}`;
}
