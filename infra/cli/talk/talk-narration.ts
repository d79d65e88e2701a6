import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { TesterServerMessage } from '@voice/shared/contracts/tester-protocol';

/** What to show of one message: a line that stays, or one that the next replaces. */
export interface Shown {
  readonly text: string;
  readonly passing: boolean;
}

const STATES: Readonly<Record<Extract<LiveEvent, { type: 'state' }>['state'], string>> = {
  listening: '(listening)',
  thinking: '(thinking …)',
  speaking: '(speaking)',
};

/** Turns the messages of a session into what the terminal shows of it, and sums its latencies up. */
export class TalkNarration {
  readonly #latencies: number[] = [];

  show(message: TesterServerMessage): Shown | undefined {
    switch (message.type) {
      case 'state':
        return passing(STATES[message.state]);
      case 'transcript':
        return message.final ? undefined : passing(`${label(message.role)} ${message.text} …`);
      case 'turn': {
        const { role, text, heard_text, interrupted } = message.turn;
        const cut = interrupted ? `  (interrupted; heard: “${heard_text}”)` : '';
        return line(`${label(role)} ${text}${cut}`);
      }
      case 'metrics': {
        const latency = message.metrics.response_latency_ms;
        if (latency === null) return undefined;
        this.#latencies.push(latency);
        return line(`        [${Math.round(latency)} ms after you]`);
      }
      case 'tool_call':
        return line(`· ${message.name} …`);
      case 'tool_result':
        return line(`· ${message.execution.name}: ${message.execution.status}`);
      case 'dtmf':
        return line(`· key ${message.digit}`);
      case 'notice':
      case 'error':
        return line(`! ${message.message}`);
      case 'ended':
        return line(`· ended${message.end_reason ? ` (${message.end_reason})` : ''}`);
      case 'started':
      case 'mark':
      case 'clear':
      case 'status':
        return undefined;
    }
  }

  /** Undefined where nothing was answered. */
  get latency(): string | undefined {
    const sorted = [...this.#latencies].sort((a, b) => a - b);
    if (sorted.length === 0) return undefined;
    const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!);
    return `Response latency: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms over ${sorted.length} answers`;
  }
}

const label = (role: string) => (role === 'caller' ? 'you' : role).padEnd(7);
const line = (text: string): Shown => ({ text, passing: false });
const passing = (text: string): Shown => ({ text, passing: true });
