import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallUsage, UsageSegment } from '@voice/shared/contracts/call-events';
import { type LanguageModel, type LlmEvent, type LlmRequest, prepareModel } from '../llm/port.js';
import type { SpeechToText } from '../stt/port.js';
import type { SpeechChunk, TextToSpeech, Voice } from '../tts/port.js';

/** Whether a provider is the agent's first choice, or replaces it. */
export type ProviderRole = 'first' | 'fallback';

/**
 * Counts what one call uses of each provider and model. It wraps the providers themselves, below retries and
 * fallbacks, so that each is charged for what it did and not for what was asked of another.
 */
export class UsageMeter {
  readonly #readings: (() => UsageSegment)[] = [];
  readonly #tokens = new Map<string, { inputTokens: number; outputTokens: number }>();

  speechToText(stt: SpeechToText, role: ProviderRole): SpeechToText {
    return {
      name: stt.name,
      open: (options) => {
        const source = sourceOf(stt, options.choice, role);
        const session = stt.open(options);
        this.#readings.push(() => ({ kind: 'stt', ...source, audio_ms: session.audioMs }));
        return session;
      },
    };
  }

  languageModel(model: LanguageModel, role: ProviderRole): LanguageModel {
    const count = (request: LlmRequest, signal: AbortSignal) => this.#generate(model, role, request, signal);
    return { name: model.name, generate: count, prepare: (target) => prepareModel(model, target) };
  }

  textToSpeech(tts: TextToSpeech, role: ProviderRole): TextToSpeech {
    return {
      name: tts.name,
      open: (options) => {
        const source = sourceOf(tts, options.choice, role);
        const voice = tts.open(options);
        // One that never made a sound refused what it was given, and nobody charges for it.
        let audible = false;
        this.#readings.push(() => ({
          kind: 'tts',
          ...source,
          characters: audible ? voice.characters : 0,
        }));
        return listenedTo(voice, () => {
          audible = true;
        });
      },
    };
  }

  /** Returns what was used so far; the totals under the names of the agent's first choices. */
  usage(first: Readonly<Record<'stt' | 'llm' | 'tts', ProviderChoice>>): CallUsage {
    const segments = merged(this.#readings.map((read) => read()));
    const named = ({ provider, model }: ProviderChoice) => ({ provider, model });
    const total: CallUsage = {
      stt: { ...named(first.stt), audio_ms: 0 },
      llm: { ...named(first.llm), input_tokens: 0, output_tokens: 0 },
      tts: { ...named(first.tts), characters: 0 },
      segments,
    };
    for (const segment of segments) {
      switch (segment.kind) {
        case 'stt':
          total.stt.audio_ms += segment.audio_ms;
          break;
        case 'llm':
          total.llm.input_tokens += segment.input_tokens;
          total.llm.output_tokens += segment.output_tokens;
          break;
        case 'tts':
          total.tts.characters += segment.characters;
          break;
      }
    }
    return total;
  }

  async *#generate(
    model: LanguageModel,
    role: ProviderRole,
    request: LlmRequest,
    signal: AbortSignal,
  ): AsyncGenerator<LlmEvent> {
    for await (const event of model.generate(request, signal)) {
      if (event.type === 'usage') this.#count(sourceOf(model, request.choice, role), event);
      yield event;
    }
  }

  #count(source: Source, { inputTokens, outputTokens }: Extract<LlmEvent, { type: 'usage' }>): void {
    const key = JSON.stringify(source);
    const known = this.#tokens.get(key);
    const tokens = known ?? { inputTokens: 0, outputTokens: 0 };
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    if (known) return;
    this.#tokens.set(key, tokens);
    this.#readings.push(() => ({
      kind: 'llm',
      ...source,
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
    }));
  }
}

type Source = Pick<UsageSegment, 'provider' | 'model' | 'fallback'>;

function sourceOf(
  { name, defaultModel = '' }: { readonly name: string; readonly defaultModel?: string },
  choice: ProviderChoice,
  role: ProviderRole,
): Source {
  const model = choice.model === '' ? defaultModel : choice.model;
  return { provider: name, model, fallback: role === 'fallback' };
}

/** Merges the readings to one segment a provider and model, those that did nothing left out. */
function merged(readings: readonly UsageSegment[]): UsageSegment[] {
  const segments = new Map<string, UsageSegment>();
  for (const reading of readings) {
    const key = JSON.stringify([reading.kind, reading.provider, reading.model, reading.fallback]);
    const before = segments.get(key);
    const sum = before ? added(before, reading) : reading;
    if (amountOf(sum) > 0) segments.set(key, sum);
  }
  return [...segments.values()];
}

function added(a: UsageSegment, b: UsageSegment): UsageSegment {
  if (a.kind === 'stt' && b.kind === 'stt') return { ...a, audio_ms: a.audio_ms + b.audio_ms };
  if (a.kind === 'tts' && b.kind === 'tts') return { ...a, characters: a.characters + b.characters };
  if (a.kind !== 'llm' || b.kind !== 'llm') return a;
  return {
    ...a,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}

function amountOf(segment: UsageSegment): number {
  switch (segment.kind) {
    case 'stt':
      return segment.audio_ms;
    case 'llm':
      return segment.input_tokens + segment.output_tokens;
    case 'tts':
      return segment.characters;
    case 'realtime':
      return segment.audio_ms + segment.input_text_tokens + segment.output_text_tokens;
  }
}

function listenedTo(voice: Voice, onAudible: () => void): Voice {
  return {
    get characters() {
      return voice.characters;
    },
    async *speak(sentences, signal): AsyncGenerator<SpeechChunk> {
      for await (const chunk of voice.speak(sentences, signal)) {
        if (chunk.audio.length > 0) onAudible();
        yield chunk;
      }
    },
    close: () => voice.close(),
  };
}
