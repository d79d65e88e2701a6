import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import { patientClock } from '@voice/shared/clock/testing/patient-clock';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe } from 'vitest';
import { installedModels } from '../../../testing/installed-models.js';
import type { SttSession } from '../port.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import { createLocalSpeechToText } from './local.js';
import { RecogniserProcess } from './recogniser/recogniser-process.js';

/** Sentences that the model understands to the letter in the neural voice: the contract is not about accuracy. */
const SENTENCES = ['What happens at the checkup?', 'Good morning.', 'Hello.'];
/** Silence after which the stand-in for the detector says that speech has ended, in ms. */
const HANGOVER_MS = 300;
/** Two models are loaded, and the sentences spoken, on however busy a machine. */
const LOADED_WITHIN_MS = 240_000;
/** A caller is given an unfinished text after 4 s, and no recogniser after 3 s: a busy machine takes longer. */
const SLOWER = 4;

const { speechToText, textToSpeech } = installedModels();
const missing = speechToText && textToSpeech ? undefined : 'no local models are installed: npm run models';
if (missing) console.warn(`speech to text: local with a model: SKIPPED, ${missing}`);

/** What surrounds the recogniser in a call: the detector, here one that knows digital silence. */
function withDetector(session: SttSession): SttSession {
  let speechEndMs: number | undefined;
  return {
    write(frame) {
      const atMs = session.audioMs;
      session.write(frame);
      if (frame.some((byte) => byte !== MULAW_SILENCE)) {
        if (speechEndMs === undefined) session.voiceActivity(true, atMs);
        speechEndMs = atMs + FRAME_MS;
      } else if (speechEndMs !== undefined && atMs - speechEndMs >= HANGOVER_MS) {
        session.voiceActivity(false, speechEndMs);
        speechEndMs = undefined;
      }
    },
    voiceActivity: (speaking, atMs) => session.voiceActivity(speaking, atMs),
    finalize: () => session.finalize(),
    get audioMs() {
      return session.audioMs;
    },
    close: () => session.close(),
  };
}

function framesOf(audio: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < audio.length; at += FRAME_BYTES) {
    const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
    frame.set(audio.subarray(at, at + FRAME_BYTES));
    frames.push(frame);
  }
  return frames;
}

describe.skipIf(missing)('the recogniser', () => {
  let voice: LocalVoice;
  let recogniser: RecogniserProcess;
  let phrases: SpeechToTextHarness['phrases'];
  beforeAll(async () => {
    recogniser = new RecogniserProcess(speechToText!, systemClock);
    recogniser.start();
    voice = startLocalVoice({ model: textToSpeech });
    await served();
    // Until it is loaded espeak-ng stands in for it, whose speech the model hardly understands.
    await voice.warm();
    phrases = await Promise.all(SENTENCES.map(spoken));
    await awake();
  }, LOADED_WITHIN_MS);
  afterAll(() => {
    voice.close();
    recogniser.close();
  });

  /** Waits until the process listens: a call gives up long before a busy machine has started it. */
  async function served(): Promise<void> {
    for (;;) {
      const socket = dial(recogniser.socketPath);
      const answered = once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (await answered) {
        recogniser.keep();
        socket.destroy();
        return;
      }
      recogniser.start();
      await systemClock.sleep(50);
    }
  }

  async function spoken(text: string) {
    const chunks: Uint8Array[] = [];
    for await (const { audio } of voice.speak({ text })) chunks.push(audio);
    return { text, frames: framesOf(Buffer.concat(chunks)) };
  }

  /** The model takes a moment to load: the first words of a suite are not to wait for it. */
  async function awake(): Promise<void> {
    const stt = createLocalSpeechToText({ recogniser });
    await new Promise<void>((resolve, reject) => {
      const session = stt.open({
        choice: { provider: 'local', model: '', params: {} },
        credentials: {},
        format: PCMU_8K,
        language: 'en-US',
        endpointingMs: 300,
        clock: patientClock(SLOWER),
        log: silentLog,
        onEvent(event) {
          if (event.type === 'failed') reject(event.error);
          if (event.type !== 'transcript' || !event.final) return;
          session.close();
          resolve();
        },
      });
      const recogniser = withDetector(session);
      for (const frame of phrases[0]!.frames) recogniser.write(frame);
      recogniser.finalize();
    });
  }

  /** Between the calls and the recogniser: connections can be counted, torn and refused. */
  async function makeHarness(): Promise<SpeechToTextHarness> {
    const dir = mkdtempSync(join(tmpdir(), 'recogniser-'));
    const socketPath = join(dir, 'proxy.sock');
    const open = new Set<Socket>();
    let refusing = false;
    const proxy = createServer((near) => {
      if (refusing) {
        near.destroy();
        return;
      }
      const far = dial(recogniser.socketPath);
      open.add(near);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        socket.on('error', () => {});
        socket.on('close', () => {
          open.delete(near);
          near.destroy();
          far.destroy();
        });
      }
    });
    proxy.listen(socketPath);
    await once(proxy, 'listening');
    const local = createLocalSpeechToText({
      recogniser: { socketPath, logPath: undefined, start: () => {}, keep: () => {} },
      language: 'en',
    });
    return {
      stt: { name: local.name, open: (options) => withDetector(local.open(options)) },
      options: {
        choice: { provider: 'local', model: '', params: {} },
        credentials: {},
        format: PCMU_8K,
        language: 'en-US',
        endpointingMs: 300,
      },
      badCredentials: undefined,
      clock: patientClock(SLOWER),
      phrases,
      openConnections: () => open.size,
      disconnect: () => {
        for (const socket of open) socket.destroy();
      },
      refuse: () => {
        refusing = true;
      },
      async close() {
        for (const socket of open) socket.destroy();
        await new Promise<void>((resolve) => proxy.close(() => resolve()));
        rmSync(dir, { recursive: true });
      },
    };
  }

  describeSpeechToTextContract('local with a model', makeHarness, { finalizes: true });
});
