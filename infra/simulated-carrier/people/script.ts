import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';

/** One thing that a simulated person does; they happen in order. */
export type Move =
  /** Waits until the agent has spoken and stopped, then says the line `gapMs` after the agent's last sound. */
  | { readonly does: 'reply'; readonly text: string; readonly gapMs: number }
  /** Says the line into the agent's turn, once the agent has spoken for `afterMs`; as a reply if it stops before. */
  | { readonly does: 'interrupt'; readonly text: string; readonly afterMs: number }
  /** Hangs up in the agent's turn, once the agent has spoken for `afterMs`. */
  | { readonly does: 'hang_up'; readonly afterMs: number }
  /** A machine: says the line at once, also while the agent speaks. */
  | { readonly does: 'announce'; readonly text: string }
  /** A machine: the tone after which it records. */
  | { readonly does: 'beep' }
  /** A machine: records until the agent was silent for `silenceMs`, at most `longestMs`. */
  | { readonly does: 'record'; readonly silenceMs: number; readonly longestMs: number }
  /** Says nothing for so long. */
  | { readonly does: 'stay_silent'; readonly ms: number };

/** What happens when the number is rung. */
export type Pickup =
  | {
      readonly pickup: 'answers';
      readonly ringMs: number;
      readonly answeredBy: 'human' | 'machine' | 'unknown';
    }
  | { readonly pickup: 'busy'; readonly ringMs: number }
  | { readonly pickup: 'never' }
  | { readonly pickup: 'fails' };

export interface PersonScript {
  readonly behavior: SimulatedBehavior;
  readonly pickup: Pickup;
  /** espeak-ng voice (or the neural voice's name) and its pace in words a minute. */
  readonly voice: string;
  readonly rate: number;
  readonly moves: readonly Move[];
}

/** Lists the lines of a script, in order. */
export function linesOf(script: PersonScript): string[] {
  return script.moves.flatMap((move) => ('text' in move ? [move.text] : []));
}
