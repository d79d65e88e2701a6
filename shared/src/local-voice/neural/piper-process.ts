/** The process of a neural voice: one text after the other. Arguments: model, sample rate, threads. */

import { resample } from '../../audio/resample.js';
import { encodeSamples } from '../../audio/samples.js';
import type { FromPiper, ToPiper } from '../speech/messages.js';
import { Piper } from './piper.js';
import { trimSilence } from './silence.js';

type Request = Extract<ToPiper, { type: 'speak' }>;

/** What a voice says first takes longer: it is said before anyone waits. */
const WARM_UP = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? 0 : 20));

const [model = '', sampleRate = '', threads = '1'] = process.argv.slice(2);
const rate = Number(sampleRate);
const queue: Request[] = [];
let speaking = false;
let piper: Piper | undefined;

const send = (message: FromPiper) => void process.send?.(message);

async function speak({ id, phonemes, lengthScale, tailMs, format }: Request, voice: Piper): Promise<void> {
  try {
    const made = await voice.speak(phonemes, lengthScale);
    const { samples, speechFromMs, speechToMs } = trimSilence(made, rate, tailMs);
    const pcm = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767);
    const audio = encodeSamples(format.encoding, resample(pcm, rate, format.sampleRate));
    send({ type: 'spoken', id, audio, speechFromMs, speechToMs });
  } catch (error) {
    send({ type: 'failed', id, code: 'synthesis_failed', message: String(error) });
  }
}

async function work(): Promise<void> {
  if (speaking || !piper) return;
  speaking = true;
  for (let next = queue.shift(); next; next = queue.shift()) {
    await speak(next, piper);
    // What was cancelled meanwhile must get in.
    await new Promise((resolve) => setImmediate(resolve));
  }
  speaking = false;
}

process.on('message', (message: ToPiper) => {
  if (message.type === 'speak') {
    queue.push(message);
    void work();
    return;
  }
  const waiting = queue.findIndex(({ id }) => id === message.id);
  if (waiting >= 0) queue.splice(waiting, 1);
});
// Without its platform the process has no purpose.
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});

const loaded = await Piper.load(model, Number(threads));
await loaded.speak(WARM_UP, 1);
piper = loaded;
send({ type: 'ready' });
void work();
