import { type AudioFormat, isSameFormat } from '@voice/shared/audio/format';
import { isKeyless } from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { EndOfTurnDetector } from '../providers/end-of-turn/port.js';
import { prepareModel } from '../providers/llm/port.js';
import type { Preparation } from '../providers/preparation.js';
import type { ProtectedProviders } from '../providers/resilience/protect.js';
import type { SttEvent, SttSession } from '../providers/stt/port.js';
import type { Voice } from '../providers/tts/port.js';
import type { VoiceActivityDetector } from '../providers/vad/port.js';
import { Hearing } from './hearing.js';
import { withoutLeadingSilence } from './leading-silence.js';
import { buildMessages } from './messages.js';
import type { AnswerRequest, Conversation, ConversationListener, TurnListener } from './port.js';
import { PreparedRecogniser } from './prepared-recogniser.js';
import { PreparedSpeech } from './prepared-speech.js';
import { speakTurn } from './speak.js';
import { type SpeechCache, VoiceCache } from './speech-cache.js';
import { speechManner } from './speech-manner.js';
import { type SpeechManner, spokenText } from './spoken-text/spoken-text.js';
import type { CascadedChoices } from './voice-choices.js';

export interface CascadedConversationOptions {
  readonly plan: CallPlan;
  readonly choices: CascadedChoices;
  /** With time-outs and fallbacks already around them. */
  readonly providers: ProtectedProviders;
  readonly detector: VoiceActivityDetector;
  /** Undefined where the worker has no model of the end of turn: words and pauses alone end turns. */
  readonly endOfTurn: EndOfTurnDetector | undefined;
  /** Of first words that were said before; undefined: each call has its own made. */
  readonly speechCache?: SpeechCache | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Runs the cascade: HEAR is line ▶ { voice activity, speech to text } ▶ turn events, SPEAK is language model ▶ spoken
 * text ▶ voice ▶ line, for one turn each.
 */
export class CascadedConversation implements Conversation {
  readonly kind = 'cascaded';
  readonly hearsWords = true;
  readonly #options: CascadedConversationOptions;
  readonly #manner: SpeechManner;
  #voice:
    | { readonly voice: Voice; readonly format: AudioFormat; readonly prepared: PreparedSpeech }
    | undefined;
  #recogniser: PreparedRecogniser | undefined;
  #model: Preparation | undefined;
  #hearing: Hearing | undefined;
  #closed = false;

  constructor(options: CascadedConversationOptions) {
    this.#options = options;
    const { agent } = options.plan;
    this.#manner = speechManner(agent.language, options.choices.tts, agent.fallback_voice_config.tts);
  }

  prepare(format: AudioFormat): void {
    if (this.#closed || this.#voice) return;
    const { plan, choices, providers } = this.#options;
    this.#prepareModel();
    // One of this machine has no handshake, and a simulated person's captions come with the line.
    if (!isKeyless('stt', choices.stt.provider)) {
      this.#recogniser = new PreparedRecogniser(providers.speechToText, this.#recogniserOptions(format));
    }
    const { prepared } = this.#openVoice(format);
    // In the order in which they are said.
    for (const text of [plan.disclosure ?? '', plan.agent.first_message]) {
      prepared.add(text, spokenText(text, this.#manner).spoken);
    }
  }

  listen(listener: ConversationListener, format: AudioFormat): void {
    if (this.#closed) return;
    const { plan, providers, detector, endOfTurn } = this.#options;
    this.#prepareModel();
    this.#openVoice(format);
    const openRecogniser = (onEvent: (event: SttEvent) => void): SttSession => {
      const { captionsUrl } = listener;
      const prepared = this.#recogniser?.take(format, onEvent);
      return (
        prepared ?? providers.speechToText.open({ ...this.#recogniserOptions(format), captionsUrl, onEvent })
      );
    };
    this.#hearing = new Hearing({
      plan,
      openRecogniser,
      detector,
      endOfTurn,
      format,
      sinceStart: listener.sinceStart,
      onHeard: (event) => listener.onHeard(event),
      onFailed: (error) => listener.onFailed(error),
    });
    this.#recogniser = undefined;
  }

  hear(frame: Uint8Array, spokenAtMs: number): void {
    this.#hearing?.write(frame, spokenAtMs);
  }

  generate(request: AnswerRequest, listener: TurnListener, signal: AbortSignal): Promise<void> {
    const { plan, choices, providers } = this.#options;
    return speakTurn(
      {
        kind: 'answer',
        model: providers.languageModel,
        request: {
          choice: choices.llm,
          credentials: plan.credentials[choices.llm.provider] ?? {},
          messages: buildMessages(plan.agent.system_prompt, request.history, request.basis),
          tools: request.tools,
          turn: request.turn,
        },
        heldVoice: request.heldVoice,
      },
      { voice: this.#requireVoice().voice, manner: this.#manner },
      listener,
      signal,
    );
  }

  say(_turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void> {
    const { voice, prepared } = this.#requireVoice();
    const speaking = { voice: prepared.take(text) ?? voice, manner: this.#manner };
    return speakTurn({ kind: 'fixed', text }, speaking, listener, signal);
  }

  truncate(): void {
    // The model reads the history, which the reducer has already cut.
  }

  get lastFinalAt(): number | undefined {
    return this.#hearing?.lastFinalAt;
  }

  usage() {
    return this.#options.providers.usage();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#model?.release();
    this.#recogniser?.close();
    this.#hearing?.close();
    this.#voice?.prepared.close();
    this.#voice?.voice.close();
  }

  /** Opens the model's connections; one that cannot be opened is reported to its breaker, and tried again by the answer. */
  #prepareModel(): void {
    const { plan, choices, providers } = this.#options;
    const credentials = plan.credentials[choices.llm.provider] ?? {};
    this.#model ??= prepareModel(providers.languageModel, { choice: choices.llm, credentials });
  }

  #recogniserOptions(format: AudioFormat) {
    const { plan, choices, clock, log } = this.#options;
    return {
      choice: choices.stt,
      credentials: plan.credentials[choices.stt.provider] ?? {},
      language: plan.agent.language,
      format,
      endpointingMs: plan.agent.turn_taking.vad_min_silence_ms,
      clock,
      log,
    };
  }

  #openVoice(format: AudioFormat) {
    const { plan, choices, providers, speechCache, clock, log } = this.#options;
    const open = this.#voice;
    if (open && isSameFormat(open.format, format)) return open;
    open?.prepared.close();
    open?.voice.close();
    const wanted = {
      choice: choices.tts,
      credentials: plan.credentials[choices.tts.provider] ?? {},
      language: plan.agent.language,
      format,
    };
    const opened = providers.textToSpeech.open({ ...wanted, clock, log });
    const voice = withoutLeadingSilence(opened, format);
    const cache =
      speechCache && new VoiceCache({ cache: speechCache, tenantId: plan.tenant_id, voice: wanted });
    this.#voice = { voice, format, prepared: new PreparedSpeech(voice, cache) };
    return this.#voice;
  }

  #requireVoice() {
    if (!this.#voice) throw new Error('A conversation speaks after it listens');
    return this.#voice;
  }
}
