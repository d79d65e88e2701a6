/** The thread that runs the model, one question at a time, away from the calls' event loop. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { SampleReader } from '@voice/shared/audio/sample-reader';
import { FEATURE_RATE } from './log-mel.js';
import type { FromThread, SpeechToJudge, ThreadData, ToThread } from './messages.js';
import { SmartTurnModel } from './smart-turn-model.js';

/** Nice value: a judgement that is late changes nothing, audio that is late is heard. */
const PRIORITY = 5;

const send = (message: FromThread) => parentPort!.postMessage(message);

// On Linux a priority is a thread's own, so that only this thread yields.
if (process.platform === 'linux') setPriority(PRIORITY);

const { model: path } = workerData as ThreadData;
const model = await SmartTurnModel.load(path);
// The first run is slower by far: it is nobody's.
await model.probability(new Int16Array(0));

let work = Promise.resolve();
parentPort!.on('message', (message: ToThread) => {
  work = work.then(() => judge(message));
});
send({ type: 'ready' });

async function judge({ id, ...speech }: ToThread): Promise<void> {
  try {
    send({ type: 'judged', id, probability: await model.probability(samplesOf(speech)) });
  } catch (error) {
    send({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

function samplesOf({ format, audio }: SpeechToJudge): Int16Array {
  const reader = new SampleReader({ format, sampleRate: FEATURE_RATE });
  const head = reader.read(audio).slice();
  const tail = reader.flush();
  const whole = new Int16Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
