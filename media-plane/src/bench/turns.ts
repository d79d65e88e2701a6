/**
 * How often turn-taking cuts in on a pause in mid-sentence, and how long it waits at the end, with and without the
 * semantic end of turn: `npm run bench:turns`. Simulated people of several voices speak over a phone line (8 kHz,
 * mu-law, noise); voice activity, model and turn-taking are the real ones, the recogniser is a script of what was said.
 */
import { cpus } from 'node:os';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import { startLocalVoice } from '@voice/shared/local-voice/local-voice';
import { silentLog } from '@voice/shared/log/log';
import { createEndOfTurnDetector } from '../providers/end-of-turn/create-detector.js';
import { createVoiceActivityDetector } from '../providers/vad/detector.js';
import { installedModels } from '../testing/installed-models.js';
import { type LineEvent, listen } from './turns/line-events.js';
import { PAUSES_MS, PHRASES, VOICES } from './turns/phrases.js';
import { onTheLine, speak } from './turns/simulated-speech.js';
import { type TurnOutcome, turnOutcome } from './turns/turn-outcome.js';

type Semantic = TurnTakingSettings['semantic_end_of_turn'];

interface Trial {
  readonly voice: string;
  readonly pauseMs: number;
  readonly events: readonly LineEvent[];
  readonly endsMs: number;
}

const models = installedModels();
if (!models.textToSpeech || !models.endOfTurn) {
  process.stderr.write('bench:turns needs a neural voice and the end-of-turn model: npm run models\n');
  process.exit(1);
}
const clock = new ScriptedClock();
const detector = await createVoiceActivityDetector({ clock, log: silentLog });
const endOfTurn = createEndOfTurnDetector({ files: models.endOfTurn, clock, log: silentLog })!;
const voice = startLocalVoice({ model: models.textToSpeech });
await voice.warm();

const judgedMs: number[] = [];
const listening = { detector, endOfTurn, clock, onJudged: (tookMs: number) => judgedMs.push(tookMs) };
const trials: Trial[] = [];
for (const name of VOICES) {
  for (const phrase of PHRASES) {
    const spoken = await speak(voice, name, phrase);
    for (const pauseMs of phrase.includes('|') ? [0, ...PAUSES_MS] : [0]) {
      const line = onTheLine(spoken, pauseMs);
      trials.push({ voice: name, pauseMs, events: await listen(line, listening), endsMs: line.endsMs });
    }
  }
  process.stderr.write(`${name}: ${trials.length} trials\n`);
}
voice.close();
await endOfTurn.close();
await detector.close();

function outcomes(of: (trial: Trial) => boolean, semantic: Semantic): TurnOutcome[] {
  return trials.filter(of).map(({ events, endsMs }) => turnOutcome(events, endsMs, semantic));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const share = (outcomes: readonly TurnOutcome[], of: (outcome: TurnOutcome) => boolean) =>
  outcomes.length === 0 ? '–' : `${((100 * outcomes.filter(of).length) / outcomes.length).toFixed(0)} %`;

function row(name: string, of: (trial: Trial) => boolean): string {
  const cells = (['off', 'on'] as const).flatMap((semantic) => {
    const paused = outcomes((trial) => trial.pauseMs > 0 && of(trial), semantic);
    const delays = outcomes(of, semantic).flatMap(({ delayMs }) => delayMs ?? []);
    const delay = (quantile: number) => percentile(delays, quantile).toFixed(0);
    return [
      share(paused, ({ endedEarly }) => endedEarly),
      share(paused, ({ talkedInto }) => talkedInto),
      delays.length === 0 ? '–' : `${delay(0.5)} / ${delay(0.95)} ms`,
    ];
  });
  return `| ${[name, ...cells].join(' | ')} |\n`;
}

process.stdout.write(
  `${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}. ${trials.length} trials, of them ` +
    `${trials.filter(({ pauseMs }) => pauseMs > 0).length} with a pause in mid-sentence. A judgement took ` +
    `${percentile(judgedMs, 0.5).toFixed(0)} ms (p50), ${percentile(judgedMs, 0.95).toFixed(0)} ms (p95).\n\n` +
    '| | off: ended early | talked into | delay p50 / p95 | on: ended early | talked into | delay p50 / p95 |\n' +
    '| --- | --- | --- | --- | --- | --- | --- |\n',
);
for (const pauseMs of PAUSES_MS) {
  process.stdout.write(row(`pause of ${pauseMs} ms`, (trial) => trial.pauseMs === pauseMs));
}
process.stdout.write(row('no pause', ({ pauseMs }) => pauseMs === 0));
for (const name of VOICES) process.stdout.write(row(name, (trial) => trial.voice === name));
process.stdout.write(row('all', () => true));
