import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { allowedCores, divideCores, keepOn } from '../system/own-core.js';
import { expectedMs, runCalls } from './call-scenario.js';
import { runEcho } from './echo-scenario.js';
import { DELAYS, IDEAL_RESPONSE_MS, PREEMPTION_DELAYS } from './fixed-delays.js';
import { listenersTable, runListeners } from './listeners.js';
import { whyNoWebRtc } from './mediasoup.js';
import { runMouthToEar } from './mouth-to-ear.js';
import type { BenchOptions } from './options.js';
import { type PreemptionResult, preemptionTable, runPreemption } from './preemption.js';
import { Progress } from './progress.js';
import { type ScenarioReport, scenarioReport, table } from './report.js';
import { renderSpeech } from './speech.js';
import { titleOf } from './subject.js';

const REPORT = fileURLToPath(new URL('../../reports/bench.json', import.meta.url));
/** The echo server's numbers settle fast. */
const ECHO_SECONDS = 5;
/** Its processes start and end. */
const AROUND_ECHO_SECONDS = 3;
/** Enough turns for the share of dropped answers, and few enough calls for the machine not to matter. */
const PREEMPTION_CALLS = 5;
const MOST_PREEMPTION_SECONDS = 60;
/** `off`, `llm` and `llm_and_voice`, one after the other. */
const PREEMPTION_KINDS = 3;

const notify = (line: string) => void process.stderr.write(`bench: ${line}\n`);

/** Runs the scenarios of `npm run bench`, and writes what they measured. */
export async function runBench(options: BenchOptions): Promise<void> {
  const noWebRtc = options.subjects.some(({ line }) => line === 'webrtc') ? whyNoWebRtc() : undefined;
  if (noWebRtc !== undefined) throw new Error(`WebRTC is not measured: ${noWebRtc}`);
  notify('rendering the callers’ speech');
  const speech = await renderSpeech();
  if (options.listeners > 0) {
    notify(`one call with and without ${options.listeners} listeners, ${options.seconds} s`);
    process.stdout.write(listenersTable(await runListeners(options.listeners, options.seconds, speech)));
    return;
  }
  const preemptionSeconds = Math.min(options.seconds, MOST_PREEMPTION_SECONDS);
  const preemptionMs = PREEMPTION_KINDS * expectedMs(PREEMPTION_CALLS, preemptionSeconds);
  const measurePreemption = (progress: Progress) => {
    progress.begin(
      `${PREEMPTION_CALLS} × answers begun early, in three kinds of ${preemptionSeconds} s`,
      preemptionMs,
    );
    return runPreemption(PREEMPTION_CALLS, preemptionSeconds, speech);
  };
  if (options.preemption) {
    process.stdout.write(preemptionReport(await measurePreemption(new Progress(preemptionMs, notify))));
    return;
  }
  const { calls: scenarios, subjects, seconds } = options;
  const callsMs = (calls: number) => expectedMs(calls, seconds);
  const echoMs = (ECHO_SECONDS + AROUND_ECHO_SECONDS) * 1000;
  const mouthToEarMs = (seconds + AROUND_ECHO_SECONDS) * 1000;
  const webRtcSubjects = subjects.filter(({ line }) => line === 'webrtc').length;
  const total = scenarios.reduce(
    (sum, calls) => sum + echoMs + subjects.length * callsMs(calls) + webRtcSubjects * mouthToEarMs,
    options.isUsual ? preemptionMs : 0,
  );
  const cores = options.ownCore ? divideCores(allowedCores()) : undefined;
  // What it starts stays there, too.
  if (cores) keepOn(process.pid, cores.others);
  const progress = new Progress(total, notify);
  const reports: ScenarioReport[] = [];
  for (const calls of scenarios) {
    progress.begin(`${calls} × bare echo, ${ECHO_SECONDS} s`, echoMs);
    const echo = await runEcho(calls, ECHO_SECONDS);
    for (const subject of subjects) {
      const isWebRtc = subject.line === 'webrtc';
      if (isWebRtc) progress.begin(`${calls} × WebRTC echo, ${seconds} s`, mouthToEarMs);
      const mouthToEar = isWebRtc ? await runMouthToEar(calls, seconds) : undefined;
      progress.begin(`${calls} × ${titleOf(subject)}, ${seconds} s`, callsMs(calls));
      const result = await runCalls(subject, calls, seconds, speech, { workerCore: cores?.worker });
      reports.push(scenarioReport({ result, echo, mouthToEar }));
    }
  }
  const preemption = options.isUsual ? await measurePreemption(progress) : [];
  const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version };
  mkdirSync(fileURLToPath(new URL('.', new URL(`file://${REPORT}`))), { recursive: true });
  writeFileSync(
    REPORT,
    `${JSON.stringify({ machine, delays: DELAYS, options, scenarios: reports, preemption }, null, 2)}\n`,
  );
  process.stdout.write(`One worker on ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}.
${cores ? `The worker has processor ${cores.worker} alone, bench and emulated vendors have ${cores.others.join(', ')}.\n` : ''}Fixed delays in ms: endpointing ${DELAYS.endpointing}, LLM first token ${DELAYS.llmFirstToken}, TTS first audio ${DELAYS.ttsFirstAudio}; together ${IDEAL_RESPONSE_MS}.
A speech-to-speech model instead: its first audio ${DELAYS.realtimeFirstAudio}, with the endpointing ${DELAYS.endpointing + DELAYS.realtimeFirstAudio}.
Response latency: from the caller's last speech frame, as it was sent, to the agent's first frame, as it arrived.

${table(reports)}

${preemption.length > 0 ? `${preemptionReport(preemption)}\n` : ''}Written to ${REPORT}
`);
}

function preemptionReport(results: readonly PreemptionResult[]): string {
  return `Answers begun before the caller’s turn is over: first token after ${PREEMPTION_DELAYS.llmFirstToken} ms, a pause in one utterance of five.

${preemptionTable(results)}
`;
}
