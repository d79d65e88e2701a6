import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallUsage, UsageSegment, UsageWaste } from '@voice/shared/contracts/call-events';
import { type LanguageModel, type LlmEvent, type LlmRequest, prepareModel } from '../llm/port.js';
import type { SpeechToText } from '../stt/port.js';
import type { TextToSpeech } from '../tts/port.js';
import { ModelRequest, type WastedTokens } from './model-request.js';
import { SpokenCharacters } from './spoken-characters.js';

/** Whether a provider is the agent's first choice, or replaces it. */
export type ProviderRole = 'first' | 'fallback';

/**
 * Counts what one call uses of each provider and model. It wraps the providers themselves, below retries and
 * fallbacks, so that each is charged for what it did and not for what was asked of another.
 */
export class UsageMeter {
  readonly #readings: (() => UsageSegment)[] = [];
  readonly #models: ModelUse[] = [];
  readonly #voices: { readonly source: Source; readonly spoken: SpokenCharacters }[] = [];

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
        const spoken = new SpokenCharacters(tts.open(options));
        this.#voices.push({ source, spoken });
        this.#readings.push(() => ({ kind: 'tts', ...source, characters: spoken.characters }));
        return spoken.counted();
      },
    };
  }

  /** Returns what was used so far; the totals under the names of the agent's first choices. */
  usage(first: Readonly<Record<'stt' | 'llm' | 'tts', ProviderChoice>>): CallUsage {
    const segments = merged(this.#readings.map((read) => read()));
    const wasted = this.#wasted();
    const named = ({ provider, model }: ProviderChoice) => ({ provider, model });
    const total: CallUsage = {
      stt: { ...named(first.stt), audio_ms: 0 },
      llm: { ...named(first.llm), input_tokens: 0, output_tokens: 0 },
      tts: { ...named(first.tts), characters: 0 },
      segments,
      ...(wasted.length > 0 ? { wasted } : {}),
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
    const counted = new ModelRequest(request, signal);
    const use = this.#useOf(sourceOf(model, request.choice, role));
    use.requests.add(counted);
    try {
      for await (const event of model.generate(request, signal)) {
        counted.saw(event);
        yield event;
      }
      if (!signal.aborted) counted.answered();
    } catch (error) {
      if (!signal.aborted) counted.failed();
      throw error;
    } finally {
      end(use, counted);
    }
  }

  #useOf(source: Source): ModelUse {
    const isSame = (use: ModelUse) =>
      use.source.provider === source.provider &&
      use.source.model === source.model &&
      use.source.fallback === source.fallback;
    const known = this.#models.find(isSame);
    if (known) return known;
    const ended: UsageSegment = { kind: 'llm', ...source, input_tokens: 0, output_tokens: 0 };
    const use: ModelUse = { source, requests: new Set(), ended, endedInVain: [] };
    this.#models.push(use);
    this.#readings.push(() =>
      [...use.requests].map((request) => segmentOf(source, request)).reduce(added, use.ended),
    );
    return use;
  }

  /** Returns what of the usage was of no use, by reason, provider and model. */
  #wasted(): UsageWaste[] {
    const list: UsageWaste[] = [];
    for (const { source, requests, endedInVain } of this.#models) {
      list.push(...endedInVain);
      for (const { wasted } of requests) if (wasted) list.push(wasteOf(source, wasted));
    }
    for (const { source, spoken } of this.#voices) {
      for (const [reason, characters] of spoken.wasted)
        list.push({ kind: 'tts', ...source, reason, characters });
    }
    return mergedWaste(list);
  }
}

type Source = Pick<UsageSegment, 'provider' | 'model' | 'fallback'>;

/** What was used of one model. */
interface ModelUse {
  readonly source: Source;
  /** Those that have not ended. */
  readonly requests: Set<ModelRequest>;
  /** What those used that have ended, and what of it in vain: a call of an hour makes hundreds. */
  ended: UsageSegment;
  endedInVain: readonly UsageWaste[];
}

function end(use: ModelUse, request: ModelRequest): void {
  use.requests.delete(request);
  request.end((waste) => {
    use.endedInVain = mergedWaste([...use.endedInVain, wasteOf(use.source, waste)]);
  });
  use.ended = added(use.ended, segmentOf(use.source, request));
}

function sourceOf(
  { name, defaultModel = '' }: { readonly name: string; readonly defaultModel?: string },
  choice: ProviderChoice,
  role: ProviderRole,
): Source {
  const model = choice.model === '' ? defaultModel : choice.model;
  return { provider: name, model, fallback: role === 'fallback' };
}

function wasteOf(source: Source, { reason, input, output }: WastedTokens): UsageWaste {
  return { kind: 'llm', ...source, reason, input_tokens: input, output_tokens: output };
}

function segmentOf(source: Source, { tokens, estimated }: ModelRequest): UsageSegment {
  return {
    kind: 'llm',
    ...source,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    ...(estimated.input > 0 ? { estimated_input_tokens: estimated.input } : {}),
    ...(estimated.output > 0 ? { estimated_output_tokens: estimated.output } : {}),
  };
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
  const estimatedInput = (a.estimated_input_tokens ?? 0) + (b.estimated_input_tokens ?? 0);
  const estimatedOutput = (a.estimated_output_tokens ?? 0) + (b.estimated_output_tokens ?? 0);
  return {
    ...a,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...(estimatedInput > 0 ? { estimated_input_tokens: estimatedInput } : {}),
    ...(estimatedOutput > 0 ? { estimated_output_tokens: estimatedOutput } : {}),
  };
}

function mergedWaste(list: readonly UsageWaste[]): UsageWaste[] {
  const merged = new Map<string, UsageWaste>();
  for (const waste of list) {
    const { kind, provider, model, fallback, reason } = waste;
    const key = JSON.stringify([kind, provider, model, fallback, reason]);
    const before = merged.get(key);
    const sum = before ? addedWaste(before, waste) : waste;
    if (sum.kind === 'llm' ? sum.input_tokens + sum.output_tokens > 0 : sum.characters > 0)
      merged.set(key, sum);
  }
  return [...merged.values()];
}

function addedWaste(a: UsageWaste, b: UsageWaste): UsageWaste {
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
