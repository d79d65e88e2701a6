import { describe, expect, it } from 'vitest';
import { Caller, noSamples } from './caller.js';
import type { AgentListener, CallerLine } from './caller-line.js';
import type { Speech, Utterance } from './speech.js';

const FRAME = new Uint8Array(160);
const SENTENCE: Utterance = {
  text: 'Yes.',
  words: [],
  audio: FRAME,
  frames: [FRAME],
  firstLoud: 0,
  lastLoud: 0,
};
const SPEECH: Speech = { sentences: [SENTENCE], interruptions: [SENTENCE] };

describe('a caller of the bench', () => {
  it('counts audio in the midst of an answer that comes when the carrier has played all', async () => {
    const { caller, agent } = await talkingTo();
    caller.samples = noSamples();
    agent.onAudio(1000, 60, 0);
    agent.onAudio(1200, 60, 140);
    agent.onAudio(1250, 60, 0);
    expect(caller.samples.late).toEqual([140]);
  });

  it('counts no silence before an answer begins', async () => {
    const { caller, agent, line } = await talkingTo();
    agent.onAudio(1000, 60, 0);
    caller.samples = noSamples();
    line.playedUntil = 1060;
    // The caller speaks after half a second of quiet, for one frame.
    caller.tick(1600);
    caller.tick(1620);
    agent.onAudio(2400, 60, 1340);
    expect(caller.samples).toMatchObject({ late: [], responses: [780] });
  });
});

async function talkingTo() {
  const line = {
    playedUntil: 0,
    isPlaying: () => false,
    sendSpeech: () => {},
    sendSilence: () => {},
    close: () => {},
  };
  let agent: AgentListener | undefined;
  const caller = new Caller(SPEECH, 0);
  await caller.connect(async (listener): Promise<CallerLine> => {
    agent = listener;
    return line;
  });
  return { caller, agent: agent!, line };
}
