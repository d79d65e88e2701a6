import { beforeEach, describe, expect, it } from 'vitest';
import { UtteranceAudio } from './utterance-audio.js';

let sent: number[];
let utterance: UtteranceAudio;
beforeEach(() => {
  sent = [];
  utterance = new UtteranceAudio((frame) => sent.push(frame[0]!), false);
});

const write = (from: number, to: number) => {
  for (let n = from; n < to; n++) utterance.write(Uint8Array.of(n), n * 20);
};

describe('the beginning of what the caller says', () => {
  it('goes to the model with the 400 ms before it', () => {
    write(0, 100);
    utterance.speechStarted(0);
    expect(sent).toEqual(Array.from({ length: 20 }, (_, n) => 80 + n));
  });

  it('goes to the model however late the detector is', () => {
    write(0, 100);
    utterance.speechStarted(1000);
    expect([sent[0], sent.length]).toEqual([30, 70]);
  });
});

describe('a turn that is committed while the caller speaks', () => {
  it('leaves the rest of the speech to be committed', () => {
    utterance.speechStarted(0);
    write(0, 20);
    utterance.commit();
    expect(utterance.hasUncommitted).toBe(true);
    utterance.speechStopped();
    utterance.commit();
    expect(utterance.hasUncommitted).toBe(false);
  });

  it('leaves nothing where the provider finds the ends of turns itself', () => {
    const continuous = new UtteranceAudio(() => {}, true);
    continuous.speechStarted(0);
    continuous.write(Uint8Array.of(1), 0);
    continuous.commit();
    continuous.answered();
    expect(continuous.unanswered()).toEqual([]);
  });
});
