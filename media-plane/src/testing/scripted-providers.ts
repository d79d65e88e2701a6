import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { silentLog } from '@voice/shared/log/log';
import { CascadedConversation } from '../conversation/cascaded.js';
import type { Conversation } from '../conversation/port.js';
import type { LineListener, MediaLine } from '../lines/port.js';
import type { EndOfTurnDetector } from '../providers/end-of-turn/port.js';
import type { LanguageModel, LlmEvent, LlmRequest } from '../providers/llm/port.js';
import type { SpeechToText, SttEvent } from '../providers/stt/port.js';
import type { TextToSpeech } from '../providers/tts/port.js';
import { UsageMeter } from '../providers/usage/usage-meter.js';
import type { VadEvent, VoiceActivityDetector } from '../providers/vad/port.js';

const choice = { provider: 'scripted', model: '', params: {} };

/** Reports a caller's speech as the detector and the recogniser would: when and what the test says. */
export class ScriptedRecogniser {
  #onStt: (event: SttEvent) => void = () => {};
  #onVad: (event: VadEvent) => void = () => {};
  #writtenMs = 0;
  finalized = 0;

  readonly detector: VoiceActivityDetector = {
    open: (_, onEvent) => {
      this.#onVad = onEvent;
      return {
        write: (frame) => {
          this.#writtenMs += frame.length / 8;
        },
        close: () => {},
      };
    },
  };

  readonly speechToText: SpeechToText = {
    name: 'scripted',
    open: ({ onEvent }) => {
      this.#onStt = onEvent;
      return {
        write: () => {},
        voiceActivity: () => {},
        finalize: () => {
          this.finalized++;
        },
        audioMs: 0,
        close: () => this.closed(),
      };
    },
  };

  /** Called when its session is closed. */
  closed(): void {}

  /** @param agoMs of audio since it began */
  speechStarted(agoMs = 0): void {
    this.#onVad({ type: 'speech_started', atMs: this.#writtenMs - agoMs });
  }

  speechStopped(): void {
    this.#onVad({ type: 'speech_stopped', atMs: this.#writtenMs });
  }

  transcribes(text: string, final = true): void {
    this.#onStt({ type: 'transcript', text, final, confidence: 0.9, startMs: 0, endMs: this.#writtenMs });
  }
}

/** Answers from a list, each answer at once and whole, and keeps what it was asked. */
export class ScriptedLanguageModel implements LanguageModel {
  readonly name = 'scripted';
  readonly requests: LlmRequest[] = [];
  readonly #answers: (readonly LlmEvent[] | Error)[];

  constructor(answers: readonly (readonly LlmEvent[] | Error | string)[]) {
    this.#answers = answers.map((answer) =>
      typeof answer === 'string' ? [{ type: 'text', delta: answer }] : answer,
    );
  }

  async *generate(request: LlmRequest): AsyncIterable<LlmEvent> {
    this.requests.push(request);
    const answer = this.#answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    yield* answer;
    yield { type: 'usage', inputTokens: 10, outputTokens: 5 };
  }
}

/** Bytes of audio that the scripted voice makes of a character: 50 ms. */
const BYTES_PER_CHARACTER = 400;

/** Creates a voice that speaks each character in 50 ms and reports that as its alignment. */
export function scriptedVoice(): TextToSpeech & { readonly spoken: string[] } {
  const spoken: string[] = [];
  return {
    name: 'scripted',
    spoken,
    open() {
      let characters = 0;
      return {
        get characters() {
          return characters;
        },
        close() {},
        async *speak(sentences, signal) {
          let at = 0;
          for await (const sentence of sentences) {
            if (signal.aborted) return;
            spoken.push(sentence);
            const chars = [...sentence];
            characters += chars.length;
            const start = at;
            at += chars.length * 50;
            yield {
              audio: new Uint8Array(chars.length * BYTES_PER_CHARACTER).fill(1),
              alignment: {
                chars,
                startMs: chars.map((_, i) => start + i * 50),
                durationMs: chars.map(() => 50),
              },
            };
          }
        },
      };
    },
  };
}

interface ScriptedParts {
  readonly recogniser: ScriptedRecogniser;
  readonly model: LanguageModel;
  readonly voice: TextToSpeech;
  readonly endOfTurn?: EndOfTurnDetector | undefined;
}

/** Creates a cascade of scripted parts. */
export function scriptedConversation(
  plan: CallPlan,
  clock: Clock,
  { recogniser, model, voice, endOfTurn }: ScriptedParts,
): Conversation {
  const choices = { stt: choice, llm: choice, tts: choice };
  const meter = new UsageMeter();
  return new CascadedConversation({
    plan,
    choices,
    detector: recogniser.detector,
    endOfTurn,
    clock,
    log: silentLog,
    providers: {
      usage: () => meter.usage(choices),
      speechToText: meter.speechToText(recogniser.speechToText, 'first'),
      languageModel: meter.languageModel(model, 'first'),
      textToSpeech: meter.textToSpeech(voice, 'first'),
    },
  });
}

/** Stands in for a line that a test drives: what it is sent is kept, what the caller does comes from `listener`. */
export class ScriptedLine implements MediaLine {
  readonly streamId = 'MZ1';
  readonly carrierCallId = 'CA1';
  readonly leadMs = 60;
  readonly pieceMs = FRAME_MS;
  readonly returnsMarks = true;
  readonly format: AudioFormat;
  /** What it was sent, in order: runs of frames count once. */
  readonly sent: string[] = [];
  readonly frames: Uint8Array[] = [];
  readonly events: LiveEvent[] = [];
  listener: LineListener | undefined;

  constructor(format: AudioFormat = PCMU_8K) {
    this.format = format;
  }

  listen(listener: LineListener): void {
    this.listener = listener;
  }

  sendAudio(frame: Uint8Array): boolean {
    this.frames.push(frame.slice());
    if (this.sent.at(-1) !== 'audio') this.sent.push('audio');
    return true;
  }

  bufferedMs(): number {
    return 0;
  }

  sendMark(_name: string): void {}

  clear(): void {
    this.sent.push('clear');
  }

  sendEvent(event: LiveEvent): void {
    this.events.push(event);
  }

  close(): void {
    this.sent.push('close');
  }
}
