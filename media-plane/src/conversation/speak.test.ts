import { describe, expect, it } from 'vitest';
import type { LanguageModel, LlmEvent } from '../providers/llm/port.js';
import type { SpeechChunk, Voice } from '../providers/tts/port.js';
import type { TurnListener } from './port.js';
import { type SpeakingVoice, speakTurn, type TurnSource } from './speak.js';

const request = {
  choice: { provider: 'x', model: '', params: {} },
  credentials: {},
  messages: [],
  tools: [],
};

function answer(generate: LanguageModel['generate']): TurnSource {
  return { kind: 'answer', model: { name: 'x', generate }, request };
}

async function* events(...list: LlmEvent[]): AsyncIterable<LlmEvent> {
  yield* list;
}

/** Makes one byte of audio of each character. */
const voice: Voice = {
  characters: 0,
  close: () => {},
  async *speak(sentences): AsyncIterable<SpeechChunk> {
    for await (const sentence of sentences) yield { audio: new Uint8Array(sentence.length) };
  },
};

const manner = { language: 'en-US', writesOut: true, startsMidClause: false };
const speaking: SpeakingVoice = { voice, manner };

function listen(): TurnListener & { readonly events: string[] } {
  const events: string[] = [];
  return {
    events,
    onFirstToken: () => events.push('first token'),
    onSentence: (sentence) => events.push(`says ${sentence}`),
    onToolCall: (call) => events.push(`calls ${call.name}`),
    onGenerated: () => events.push('generated'),
    onAudio: (chunk) => {
      events.push(`audio ${chunk.audio.length}`);
    },
  };
}

describe("a turn's speech", () => {
  it('flows from the model over sentences to audio, and ends when all was passed on', async () => {
    const listener = listen();
    const source = answer(() =>
      events(
        { type: 'text', delta: 'We are open today. ' },
        { type: 'text', delta: 'Come by.' },
        { type: 'tool_call', call: { id: '1', name: 'look_up', arguments: '{}' } },
        { type: 'usage', inputTokens: 7, outputTokens: 3 },
      ),
    );
    await speakTurn(source, speaking, listener, new AbortController().signal);
    expect(listener.events.filter((line) => !line.startsWith('audio'))).toEqual([
      'first token',
      'says We are open today.',
      'calls look_up',
      'says Come by.',
      'generated',
    ]);
    expect(listener.events.filter((line) => line.startsWith('audio'))).toEqual(['audio 18', 'audio 8']);
  });

  it('of a fixed text needs no model', async () => {
    const listener = listen();
    await speakTurn({ kind: 'fixed', text: 'Hello.' }, speaking, listener, new AbortController().signal);
    expect(listener.events).toEqual(['says Hello.', 'generated', 'audio 6']);
  });

  it('gives the voice what is said, and the listener what was written with where each word of it is said', async () => {
    const given: string[] = [];
    const keeping: Voice = {
      ...voice,
      async *speak(sentences): AsyncIterable<SpeechChunk> {
        for await (const sentence of sentences) {
          given.push(sentence);
          yield { audio: new Uint8Array(1) };
        }
      },
    };
    const written: string[] = [];
    let ends: (number | undefined)[] = [];
    const listener: TurnListener = {
      ...listen(),
      onSentence: (text, segments) => {
        written.push(text);
        ends = [...ends, segments?.at(-1)?.writtenEnd];
      },
    };
    const source = answer(() =>
      events(
        { type: 'text', delta: '<think>Cheap?</th' },
        { type: 'text', delta: 'ink>It costs **$5' },
        { type: 'text', delta: '.50** today. 👍' },
      ),
    );
    await speakTurn(source, { voice: keeping, manner }, listener, new AbortController().signal);
    expect(given).toEqual(['It costs five dollars and fifty cents today.']);
    expect(written).toEqual(['It costs **$5.50** today.']);
    expect(ends).toEqual([written[0]?.length]);
  });

  it('lets other calls have their turn while a book of signs comes in one piece', async () => {
    const turn = new AbortController();
    let turnsOfOthers = 0;
    const others = () => {
      turnsOfOthers++;
      if (!turn.signal.aborted) setImmediate(others);
    };
    setImmediate(others);
    const book = answer(() => events({ type: 'text', delta: '😀 '.repeat(10_000) }));
    await speakTurn(book, speaking, listen(), turn.signal);
    turn.abort();
    expect(turnsOfOthers).toBeGreaterThan(10);
  });

  it('gives the voice nothing where there is nothing to say', async () => {
    const listener = listen();
    const source = answer(() => events({ type: 'text', delta: '```\nlookUp();\n```' }));
    await speakTurn(source, speaking, listener, new AbortController().signal);
    expect(listener.events).toEqual(['first token', 'generated']);
  });

  it('fails with what the model threw, after what it had said before was spoken', async () => {
    const listener = listen();
    const source = answer(async function* () {
      yield { type: 'text', delta: 'One moment please. And then ' };
      throw new Error('the model broke off');
    });
    const spoken = speakTurn(source, speaking, listener, new AbortController().signal);
    await expect(spoken).rejects.toThrow('the model broke off');
    expect(listener.events).toContain('audio 18');
    expect(listener.events).not.toContain('generated');
  });

  it('fails with what the voice threw, and lets the model go', async () => {
    let released = false;
    const source = answer(async function* () {
      try {
        for (let i = 0; i < 1000; i++) yield { type: 'text', delta: 'Yet another long sentence. ' };
      } finally {
        released = true;
      }
    });
    const broken: Voice = {
      ...voice,
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *speak(): AsyncIterable<SpeechChunk> {
        throw new Error('no voice');
      },
    };
    const spoken = speakTurn(source, { voice: broken, manner }, listen(), new AbortController().signal);
    await expect(spoken).rejects.toThrow('no voice');
    await new Promise((resolve) => setImmediate(resolve));
    expect(released).toBe(true);
  });

  it('ends promptly and silently when it is aborted, though the model hangs', async () => {
    const controller = new AbortController();
    const listener = listen();
    const source = answer(async function* (_, signal) {
      yield { type: 'text', delta: 'Hello there, friend. And' };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    const spoken = speakTurn(source, speaking, listener, controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await spoken;
    const heard = listener.events.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(listener.events).toHaveLength(heard);
    expect(listener.events).not.toContain('generated');
  });

  it('holds the model back when it is far ahead of the voice', async () => {
    let sentences = 0;
    const source = answer(async function* () {
      for (; sentences < 500; sentences++) yield { type: 'text', delta: 'Yet another long sentence. ' };
    });
    const controller = new AbortController();
    const listener: TurnListener = { ...listen(), onAudio: () => new Promise(() => {}) };
    void speakTurn(source, speaking, listener, controller.signal);
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(sentences).toBeLessThan(50);
    controller.abort();
  });
});
