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
