import type { WaveformFigures } from '@voice/shared/contracts/waveform';
import { type SpeechSpan, SpeechSpans } from './speech-spans.js';

/** A longer silence is no answer to what was said before it, in ms. */
const LONGEST_RESPONSE_MS = 15_000;
/** An agent that goes on for longer was not interrupted, in ms. */
const LONGEST_BARGE_IN_MS = 1500;
/** Within what either says they pause for no longer than this, in ms. */
const PAUSE_MS = 300;
/** What the caller said before the agent had begun so far was no interruption, in ms. */
const LEAST_AGENT_MS = 100;
/** A shorter sound of the caller interrupts nobody, in ms. */
const LEAST_CALLER_MS = 120;
/** A gap is noted once in this time, at its end, in ms. */
const GAP_NOTE_MS = 1000;
/** How many of either are kept. */
const MOST = 5000;

/**
 * Measures a finished call's latency in its stereo recording, as a listener would with a ruler: from the caller's last
 * sound to the agent's first, and from the caller's first sound over the agent to silence. It knows nothing of turns, so
 * it cannot flatter them.
 */
export class WaveformLatency {
  readonly #caller: SpeechSpans;
  readonly #agent: SpeechSpans;

  /** Moments of which nothing is recorded, ms. */
  readonly #gaps: number[] = [];

  /** @param sampleRate Hz */
  constructor(sampleRate: number) {
    this.#caller = new SpeechSpans(sampleRate);
    this.#agent = new SpeechSpans(sampleRate);
  }

  /** Takes the next of both channels. */
  push(caller: Int16Array, agent: Int16Array): void {
    this.#caller.push(caller);
    this.#agent.push(agent);
  }

  /** Notes that nothing was recorded then, as in a pause: who spoke there is not known. */
  gap(atMs: number): void {
    this.#gaps.push(atMs);
  }

  figures(): WaveformFigures {
    const caller = this.#caller.spans();
    const agent = this.#agent.spans();
    return {
      responses: responsesOf(caller, agent)
        .filter((one) => this.#isWhole(one.caller_ended_at_ms, one.agent_began_at_ms))
        .slice(0, MOST),
      barge_ins: bargeInsOf(caller, agent)
        .filter((one) => this.#isWhole(one.caller_began_at_ms, one.agent_ended_at_ms))
        .slice(0, MOST),
    };
  }

  #isWhole(fromMs: number, untilMs: number): boolean {
    return !this.#gaps.some((atMs) => atMs >= fromMs && atMs <= untilMs + GAP_NOTE_MS);
  }
}

/** Returns the agent's first sounds after the caller's last ones. */
function responsesOf(
  caller: readonly SpeechSpan[],
  agent: readonly SpeechSpan[],
): WaveformFigures['responses'] {
  const responses: WaveformFigures['responses'] = [];
  let next = 0;
  let agentUntilMs = 0;
  for (const { fromMs, untilMs } of agent) {
    while (next < caller.length && caller[next]!.fromMs < fromMs) next++;
    const callerUntilMs = caller[next - 1]?.untilMs;
    // Since the agent's last sound somebody spoke, and does not any more.
    if (callerUntilMs !== undefined && callerUntilMs > agentUntilMs && callerUntilMs <= fromMs) {
      if (fromMs - callerUntilMs <= LONGEST_RESPONSE_MS) {
        responses.push({ caller_ended_at_ms: callerUntilMs, agent_began_at_ms: fromMs });
      }
    }
    agentUntilMs = untilMs;
  }
  return responses;
}

/** Returns where the agent fell silent for a caller who spoke over it. */
function bargeInsOf(
  caller: readonly SpeechSpan[],
  agent: readonly SpeechSpan[],
): WaveformFigures['barge_ins'] {
  const bargeIns: WaveformFigures['barge_ins'] = [];
  const spoken = bridged(caller, PAUSE_MS);
  for (const { fromMs, untilMs } of bridged(agent, PAUSE_MS)) {
    // Who said “mhm” before is not the one who interrupted.
    const over = spoken.findLast((span) => span.fromMs < untilMs);
    if (!over || over.fromMs < fromMs + LEAST_AGENT_MS || over.untilMs - over.fromMs < LEAST_CALLER_MS)
      continue;
    if (untilMs - over.fromMs > LONGEST_BARGE_IN_MS) continue;
    bargeIns.push({ caller_began_at_ms: over.fromMs, agent_ended_at_ms: untilMs });
  }
  return bargeIns;
}

function bridged(spans: readonly SpeechSpan[], pauseMs: number): SpeechSpan[] {
  const joined: SpeechSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && span.fromMs - last.untilMs <= pauseMs) {
      joined[joined.length - 1] = { fromMs: last.fromMs, untilMs: span.untilMs };
    } else {
      joined.push(span);
    }
  }
  return joined;
}
