export type Recovery =
  | { readonly kind: 'restart' | 'anew'; readonly afterMs: number }
  | { readonly kind: 'give_up' };

export function recovery(state: string, restarts: number): Recovery | null;
export function keyAction(pressed: {
  readonly key: string;
  readonly repeat: boolean;
  readonly withModifier: boolean;
  readonly target: 'text' | 'select' | 'button' | 'other';
}): 'mute' | 'hang_up' | null;
