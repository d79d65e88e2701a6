import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import type { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { turnTakingSettings } from '@voice/shared/contracts/agent';
import type { Unstamped } from '../../call/turn-taking/testing/script.js';
import type { EndOfTurnDetector } from '../../providers/end-of-turn/port.js';
import type { VadEvent, VoiceActivityDetector } from '../../providers/vad/port.js';
import type { LineSpeech } from './simulated-speech.js';

/** From a word's end to the interim text with it, and from the detector's stop to the final text, in ms. */
const INTERIM_MS = 150;
const FINAL_MS = 60;
/** From the detector's stop to the judgement of the sound, in ms: what a run takes, and some waiting. */
const JUDGED_MS = 60;

/** What turn-taking gets, and when (ms of the line's audio). */
export interface LineEvent {
  readonly at: number;
  readonly event: Unstamped;
}

export interface Listening {
  readonly detector: VoiceActivityDetector;
  readonly endOfTurn: EndOfTurnDetector;
  /** The detector's, which the bench moves on. */
  readonly clock: ScriptedClock;
  /** Receives how long each judgement took, in ms. */
  readonly onJudged: (tookMs: number) => void;
}

/**
 * Listens to the line with the real detector and the real model. The words are those that were said, as a recogniser
 * gives them that is asked for its final text when the detector stops.
 */
export async function listen(line: LineSpeech, listening: Listening): Promise<LineEvent[]> {
  const { vad_on: on, vad_off: off, ...settings } = turnTakingSettings.parse({});
  const events: LineEvent[] = interims(line);
  const heard: VadEvent[] = [];
  const vad = listening.detector.open(
    {
      on,
      off,
      minSpeechMs: settings.vad_min_speech_ms,
      minSilenceMs: settings.vad_min_silence_ms,
      format: PCMU_8K,
    },
    (event) => heard.push(event),
  );
  const sound = listening.endOfTurn.open(PCMU_8K);
  let finals = 0;
  for (let from = 0; from < line.audio.length; from += FRAME_BYTES) {
    const frame = line.audio.subarray(from, from + FRAME_BYTES);
    sound.write(frame);
    vad.write(frame);
    await settled(listening.clock);
    const at = (from / FRAME_BYTES + 1) * FRAME_MS;
    for (const event of heard.splice(0)) {
      if (event.type === 'speech_started') {
        sound.speechStarted(event.atMs);
        events.push({ at, event: { type: 'speech_started', startedAt: event.atMs } });
        continue;
      }
      const stoppedAt = event.atMs;
      events.push({ at, event: { type: 'speech_stopped', stoppedAt } });
      const text = textOf(line.words.slice(finals).filter(({ startMs }) => startMs < stoppedAt));
      finals = line.words.filter(({ startMs }) => startMs < stoppedAt).length;
      events.push({ at: at + FINAL_MS, event: { type: 'transcript', text, final: true, confidence: 0.95 } });
      const asked = performance.now();
      const probability = await new Promise<number>((resolve) => sound.judge(resolve));
      listening.onJudged(performance.now() - asked);
      events.push({ at: at + JUDGED_MS, event: { type: 'turn_completion', probability, stoppedAt } });
    }
  }
  vad.close();
  sound.close();
  return withoutStaleInterims(events.sort((a, b) => a.at - b.at));
}

/** Gives the text as it grows; what is final already is taken out when the events are in order. */
function interims({ words }: LineSpeech): LineEvent[] {
  return words.map(({ endMs }, index) => ({
    at: endMs + INTERIM_MS,
    event: { type: 'transcript', text: textOf(words.slice(0, index + 1)), final: false, confidence: 0.9 },
  }));
}

/** An interim holds the words since the last final text; one without any does not come. */
function withoutStaleInterims(events: readonly LineEvent[]): LineEvent[] {
  let said = 0;
  return events.flatMap(({ at, event }): LineEvent[] => {
    if (event.type !== 'transcript') return [{ at, event }];
    if (event.final) {
      said += event.text === '' ? 0 : event.text.split(' ').length;
      return [{ at, event }];
    }
    const text = event.text.split(' ').slice(said).join(' ');
    return text === '' ? [] : [{ at, event: { ...event, text } }];
  });
}

/** Returns words as a recogniser writes them that adds no punctuation of its own. */
function textOf(words: readonly { readonly text: string }[]): string {
  return words.map(({ text }) => text.replace(/[.?]$/, '')).join(' ');
}

async function settled(clock: ScriptedClock): Promise<void> {
  clock.advance(FRAME_MS);
  for (let n = 0; n < 4; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}
