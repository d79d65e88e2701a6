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
    [...speech.sentences, ...speech.interruptions].map(({ text, words, audio }) => ({
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
