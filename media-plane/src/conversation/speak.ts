import type { LanguageModel, LlmRequest } from '../providers/llm/port.js';
import type { Voice } from '../providers/tts/port.js';
import { BlockingQueue } from '../streams/bounded-queue.js';
import { SentenceChunker } from './chunker.js';
import type { TurnListener } from './port.js';

/** Where a turn's words come from: the model, or a fixed text such as the disclosure. */
export type TurnSource =
  | { readonly kind: 'answer'; readonly model: LanguageModel; readonly request: LlmRequest }
  | { readonly kind: 'fixed'; readonly text: string };

/** Sentences that the model may be ahead of the voice; then it waits. */
const SENTENCES_AHEAD = 32;

/**
 * Runs SPEAK, model ▶ chunker ▶ voice, for one turn. Resolves when all audio was passed on; throws what a provider
 * threw; ends promptly and silently when the signal aborts.
 */
export async function speakTurn(
  source: TurnSource,
  voice: Pick<Voice, 'speak'>,
  listener: TurnListener,
  signal: AbortSignal,
): Promise<void> {
  const sentences = new BlockingQueue<string>(SENTENCES_AHEAD);
  const end = () => sentences.end();
  signal.addEventListener('abort', end, { once: true });
  const generated = generate(source, sentences, listener, signal).finally(end);
  generated.catch(() => {});
  try {
    for await (const chunk of voice.speak(sentences, signal)) {
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

async function generate(
  source: TurnSource,
  sentences: BlockingQueue<string>,
  listener: TurnListener,
  signal: AbortSignal,
): Promise<void> {
  const say = (sentence: string) => {
    listener.onSentence(sentence);
    return sentences.push(sentence, signal);
  };
  if (source.kind === 'fixed') {
    await say(source.text);
    listener.onGenerated();
    return;
  }
  const chunker = new SentenceChunker();
  let first = true;
  for await (const event of source.model.generate(source.request, signal)) {
    if (signal.aborted) return;
    if (first && event.type !== 'usage') {
      first = false;
      listener.onFirstToken();
    }
    switch (event.type) {
      case 'text':
        for (const sentence of chunker.push(event.delta)) await say(sentence);
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
  const rest = chunker.end();
  if (rest !== undefined) await say(rest);
  listener.onGenerated();
}
