import type { AudioFormat } from '@voice/shared/audio/format';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { EndOfTurnDetector, EndOfTurnSession } from '../providers/end-of-turn/port.js';
import type { ProviderError } from '../providers/provider-error.js';
import type { SttEvent, SttSession } from '../providers/stt/port.js';
import type { VadEvent, VoiceActivityDetector } from '../providers/vad/port.js';
import type { Heard } from './port.js';
import { type Arrival, SpeechActivity } from './speech-activity.js';

export interface HearingOptions {
  readonly plan: CallPlan;
  /** Opens the recogniser's session for the line's audio, or takes the one that was opened ahead. */
  readonly openRecogniser: (onEvent: (event: SttEvent) => void) => SttSession;
  readonly detector: VoiceActivityDetector;
  /** Judges the sound of the speech, for agents that have it switched on; undefined where the worker cannot. */
  readonly endOfTurn: EndOfTurnDetector | undefined;
  readonly format: AudioFormat;
  /** ms since the media stream began. */
  readonly sinceStart: () => number;
  readonly onHeard: (event: Heard) => void;
  readonly onFailed: (error: ProviderError) => void;
}

/** Runs HEAR: the caller's frames go to the voice-activity detector and the recogniser; turn events come out. */
export class Hearing {
  readonly #options: HearingOptions;
  readonly #activity: SpeechActivity;
  readonly #stt: SttSession;
  readonly #endOfTurn: EndOfTurnSession | undefined;
  /** When the last final text came, ms since the media stream began. */
  #lastFinalAt: number | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    const { plan, format } = options;
    const settings = plan.agent.turn_taking;
    this.#activity = new SpeechActivity({
      detector: options.detector,
      settings,
      format,
      sinceStart: options.sinceStart,
      onEvent: (event, arrival) => this.#onVoiceActivity(event, arrival),
    });
    if (settings.semantic_end_of_turn === 'on') this.#endOfTurn = options.endOfTurn?.open(format);
    this.#stt = options.openRecogniser((event) => this.#onSpeechToText(event));
  }

  get lastFinalAt(): number | undefined {
    return this.#lastFinalAt;
  }

  /** Takes 20 ms in the line's format. @param spokenAtMs when its beginning was spoken, ms since the media stream began */
  write(frame: Uint8Array, spokenAtMs: number): void {
    this.#stt.write(frame);
    this.#endOfTurn?.write(frame);
    this.#activity.write(frame, spokenAtMs);
  }

  close(): void {
    this.#activity.close();
    this.#endOfTurn?.close();
    this.#stt.close();
  }

  #onVoiceActivity(event: VadEvent, { arrivedAt, lateMs }: Arrival): void {
    if (event.type === 'speech_started') {
      this.#stt.voiceActivity(true, event.atMs);
      this.#endOfTurn?.speechStarted(event.atMs);
      this.#options.onHeard({ type: 'speech_started', startedAt: arrivedAt, lateMs });
      return;
    }
    this.#options.onHeard({ type: 'speech_stopped', stoppedAt: arrivedAt, lateMs });
    this.#endOfTurn?.judge((probability) =>
      this.#options.onHeard({ type: 'turn_completion', probability, stoppedAt: arrivedAt }),
    );
    this.#stt.voiceActivity(false, event.atMs);
    this.#stt.finalize();
  }

  #onSpeechToText(event: SttEvent): void {
    const { onHeard, onFailed, sinceStart } = this.#options;
    switch (event.type) {
      case 'transcript':
        if (event.final && event.text !== '') this.#lastFinalAt = sinceStart();
        onHeard({ type: 'transcript', text: event.text, final: event.final, confidence: event.confidence });
        break;
      case 'end_of_turn': {
        // Said by the provider that hears now, which need not be the agent's first choice.
        const source = event.decided ? 'flux' : 'stt';
        onHeard({ type: 'end_of_turn', source, confidence: event.confidence });
        break;
      }
      case 'eager_end_of_turn':
        onHeard({ type: 'eager_end_of_turn', confidence: event.confidence, text: event.text });
        break;
      case 'turn_resumed':
        onHeard({ type: 'turn_resumed' });
        break;
      case 'speech_started':
        // Our own detector is faster, and the same for every provider.
        break;
      case 'failed':
        onFailed(event.error);
        break;
    }
  }
}
