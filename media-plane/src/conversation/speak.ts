import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { LanguageModel, LlmRequest } from '../providers/llm/port.js';
import type { Voice } from '../providers/tts/port.js';
import { BlockingQueue } from '../streams/bounded-queue.js';
import type { HeldVoice, TurnListener } from './port.js';
import type { SpokenForm } from './spoken-text/spoken-form.js';
import { type SpeechManner, SpokenText, spokenText } from './spoken-text/spoken-text.js';

/** Where a turn's words come from: the model, or a fixed text such as the disclosure. */
export type TurnSource =
  | {
      readonly kind: 'answer';
      readonly model: LanguageModel;
      readonly request: LlmRequest;
      readonly heldVoice?: HeldVoice | undefined;
    }
  | { readonly kind: 'fixed'; readonly text: string };

/** A voice, and what has to be done to a text before it can say it. */
export interface SpeakingVoice {
  readonly voice: Pick<Voice, 'speak'>;
  readonly manner: SpeechManner;
}

/** Sentences that the model may be ahead of the voice; then it waits. */
const SENTENCES_AHEAD = 32;

/**
 * Runs SPEAK, model ▶ spoken text ▶ voice, for one turn. Resolves when all audio was passed on; throws what a provider
 * threw; ends promptly and silently when the signal aborts.
 */
export async function speakTurn(
  source: TurnSource,
  { voice, manner }: SpeakingVoice,
  listener: TurnListener,
  signal: AbortSignal,
): Promise<void> {
  const sentences = new BlockingQueue<string>(SENTENCES_AHEAD);
  const end = () => sentences.end();
  signal.addEventListener('abort', end, { once: true });
  const generated = generate(source, manner, sentences, listener, signal).finally(end);
  generated.catch(() => {});
  try {
    const held = source.kind === 'answer' ? source.heldVoice : undefined;
    for await (const chunk of voice.speak(held ? heldBack(sentences, held, signal) : sentences, signal)) {
      if (signal.aborted) return;
      await listener.onAudio(chunk);
    }
    await generated;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Passes on what may be spoken ahead, and the rest when the turn is sure. */
async function* heldBack(
  sentences: AsyncIterable<string>,
  { piecesAhead, released }: HeldVoice,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let given = 0;
  for await (const sentence of sentences) {
    if (given >= piecesAhead) await released;
    if (signal.aborted) return;
    given += 1;
    yield sentence;
  }
}

/** Characters that are put into speech at once: some ms. More come from a server that sends a book in one piece. */
const MOST_AT_ONCE = 500;

async function generate(
  source: TurnSource,
  manner: SpeechManner,
  sentences: BlockingQueue<string>,
  listener: TurnListener,
  signal: AbortSignal,
): Promise<void> {
  const say = ({ written, spoken, segments }: SpokenForm) => {
    listener.onSentence(written, segments);
    return sentences.push(spoken, signal);
  };
  if (source.kind === 'fixed') {
    const form = spokenText(source.text, manner);
    if (form.spoken !== '') await say(form);
    listener.onGenerated();
    return;
  }
  const text = new SpokenText(manner);
  let first = true;
  for await (const event of source.model.generate(source.request, signal)) {
    if (signal.aborted) return;
    if (first && event.type !== 'usage') {
      first = false;
      listener.onFirstToken();
    }
    switch (event.type) {
      case 'text':
        for (let at = 0; at < event.delta.length; at += MOST_AT_ONCE) {
          if (at > 0) await letOthersRun();
          if (signal.aborted) return;
          for (const form of text.push(event.delta.slice(at, at + MOST_AT_ONCE))) await say(form);
        }
        break;
      case 'tool_call':
        listener.onToolCall(event.call);
        break;
      case 'tool_call_part':
        break;
      case 'usage':
        // Counted where the provider is asked (`providers/usage/usage-meter.ts`).
        break;
    }
  }
  if (signal.aborted) return;
  for (const form of text.end()) await say(form);
  listener.onGenerated();
}
