import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeMulaw, FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { startLocalVoice } from '@voice/shared/local-voice/local-voice';

/**
 * What the callers say. Whole sentences without numbers, questions, trailing connectives or hesitations, so that
 * endpointing takes its minimum.
 */
const SENTENCES = [
  'I need an appointment for my daughter.',
  'The morning suits us best.',
  'Her name is Laura and she likes you.',
  'We can come by bus from the station.',
];
/** Said over the agent. */
const INTERRUPTIONS = ['Sorry, wait a moment please.', 'Hold on, let me say something.'];

export interface Utterance {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start_ms: number; readonly end_ms: number }[];
  readonly audio: Uint8Array;
  readonly frames: readonly Uint8Array[];
  /** The first and the last frame that are loud enough to be speech. */
  readonly firstLoud: number;
  readonly lastLoud: number;
}

export interface Speech {
  readonly sentences: readonly Utterance[];
  readonly interruptions: readonly Utterance[];
}

export async function renderSpeech(): Promise<Speech> {
  const voice = startLocalVoice();
  try {
    const render = async (text: string): Promise<Utterance> => {
      const parts: Uint8Array[] = [];
      const words: { text: string; start_ms: number; end_ms: number }[] = [];
      for await (const chunk of voice.speak({ text, voice: 'en-us+m3', language: 'en-US' })) {
        parts.push(chunk.audio);
        for (const word of chunk.words ?? []) {
          words.push({ text: word.text, start_ms: word.startMs, end_ms: word.endMs });
        }
      }
      return utterance(text, words, Buffer.concat(parts));
    };
    return {
      sentences: await inOrder(SENTENCES, render),
      interruptions: await inOrder(INTERRUPTIONS, render),
    };
  } finally {
    voice.close();
  }
}

async function inOrder<In, Out>(items: readonly In[], task: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const item of items) results.push(await task(item));
  return results;
}

/** The silence of a caller who pauses, in ms: shorter than what ends a turn. */
const PAUSE_MS = 320;
const FRAME_MS = 20;

/** Lets one utterance in five hold a pause: two that are said as one. */
export function withPauses({ sentences, interruptions }: Speech): Speech {
  const whole = Array.from({ length: 4 }, (_, i) => sentences[i % sentences.length]!);
  return { sentences: [...whole, joined(whole[0]!, whole[1]!)], interruptions };
}

/** Joins two utterances by a pause. It is recognised by its parts, and has no audio of its own for that. */
function joined(a: Utterance, b: Utterance): Utterance {
  const between = a.frames.length - 1 - a.lastLoud + b.firstLoud;
  const missing = Math.max(0, PAUSE_MS / FRAME_MS - between);
  const silence = Array.from({ length: missing }, () => new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE));
  return {
    text: `${a.text} ${b.text}`,
    words: [],
    audio: new Uint8Array(0),
    frames: [...a.frames, ...silence, ...b.frames],
    firstLoud: a.firstLoud,
    lastLoud: a.frames.length + missing + b.lastLoud,
  };
}

function utterance(text: string, words: Utterance['words'], audio: Uint8Array): Utterance {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < audio.length; at += FRAME_BYTES) {
    const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
    frame.set(audio.subarray(at, at + FRAME_BYTES));
    frames.push(frame);
  }
  const loud = frames.map(isLoud);
  return { text, words, audio, frames, firstLoud: loud.indexOf(true), lastLoud: loud.lastIndexOf(true) };
}

/** About -40 dB of full scale, as root mean square of 16-bit samples: speech on a quiet line. */
const LOUD = 330;

function isLoud(frame: Uint8Array): boolean {
  let energy = 0;
  for (const sample of decodeMulaw(frame)) energy += sample ** 2;
  return Math.sqrt(energy / frame.length) > LOUD;
}

/** Serves `GET /phrasebook` to the recogniser's emulator. */
export async function servePhrasebook(speech: Speech): Promise<{ url: string; close(): void }> {
  const body = JSON.stringify(
    [...new Set([...speech.sentences, ...speech.interruptions])]
      .filter(({ audio }) => audio.length > 0)
      .map(({ text, words, audio }) => ({
        voice: 'bench',
        text,
        words,
        audio: Buffer.from(audio).toString('base64'),
      })),
  );
  const server: Server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/phrasebook`, close: () => void server.close() };
}
