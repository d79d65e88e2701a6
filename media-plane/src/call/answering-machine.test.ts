import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { afterAll, describe, expect, it } from 'vitest';
import { renderPhone } from '../testing/answered-phone.js';
import { type AnsweredPhone, MACHINES, PERSONS } from '../testing/answers.js';
import { type AnsweredOutcome, MESSAGE, playAnswered } from './testing/answered-call.js';

const voice = startKeptVoice();
afterAll(() => voice.close());

type Verdict = Parameters<typeof playAnswered>[1];
type Action = Parameters<typeof playAnswered>[2];

async function answer(
  phones: readonly AnsweredPhone[],
  name: string,
  verdict?: Verdict,
  action?: Action,
): Promise<AnsweredOutcome> {
  const phone = phones.find((candidate) => candidate.name === name);
  if (!phone) throw new Error(`no phone is "${name}"`);
  return playAnswered(await renderPhone(phone, voice, { variant: 'm3' }), verdict, action);
}

const notices = ({ stage }: AnsweredOutcome) =>
  stage.of('notice').map(({ code, message }) => `${code}: ${message}`);

describe('a call that an answering machine answers', () => {
  it('leaves the message after the beep, without a word of the carrier', async () => {
    const outcome = await answer(MACHINES, 'a greeting and a beep');
    expect(outcome).toMatchObject({ endedAsVoicemail: true, messageAfterBeep: true });
    expect(notices(outcome)).toEqual([
      expect.stringMatching(
        /^answering_machine: An answering machine, by words and greeting_length: the words "voicemail"/,
      ),
      'voicemail_message: The message is left after the beep.',
    ]);
    expect(outcome.stage.turns().at(-1)).toBe(`agent: ${MESSAGE}`);
  });

  it('knows one whose words say nothing by its length and its beep', async () => {
    const outcome = await answer(MACHINES, 'a greeting without a machine’s words');
    expect(outcome).toMatchObject({ endedAsVoicemail: true, messageAfterBeep: true });
    expect(notices(outcome)[0]).toMatch(/by beep and greeting_length: a beep of 44\d Hz and \d+ ms/);
  });

  it('leaves the message after a bounded silence where there is no beep', async () => {
    const outcome = await answer(MACHINES, 'no beep');
    expect(outcome.endedAsVoicemail).toBe(true);
    expect(notices(outcome).at(-1)).toBe(
      'voicemail_message: The message is left after 3 s of silence without a beep.',
    );
  });

  it('begins the message anew when the beep comes into it', async () => {
    const outcome = await answer(MACHINES, 'a beep after the wait for it');
    expect(notices(outcome).slice(1)).toEqual([
      'voicemail_message: The message is left after 3 s of silence without a beep.',
      'voicemail_message: The message is left after the beep.',
    ]);
    expect(outcome.stage.turns().at(-1)).toBe(`agent: ${MESSAGE}`);
  });

  it('is ended by its words where the agent hangs up on machines', async () => {
    const { stage } = await answer(MACHINES, 'einer Mailbox', undefined, 'hangup');
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'voicemail' }]);
    expect(stage.clock.monotonic()).toBeLessThan(10_000);
  });
});

describe('a call that a person answers', () => {
  it.each(['hello', 'a practice with a long greeting', 'somebody in a hurry', 'somebody else’s phone'])(
    'goes on where there is no verdict of the carrier: %s',
    async (name) => {
      const outcome = await answer(PERSONS, name, undefined, 'hangup');
      expect(notices(outcome)).toEqual([]);
      expect(outcome.endedAsVoicemail).toBe(false);
    },
  );

  it('goes on against the wrong verdict of the carrier, which the timeline shows', async () => {
    const outcome = await answer(PERSONS, 'a bakery', 'machine_start', 'hangup');
    expect(notices(outcome)).toEqual([
      'answering_machine_overruled: The carrier took the other end for an answering machine; a person is speaking.',
    ]);
    expect(outcome.endedAsVoicemail).toBe(false);
  });

  it('is corrected by their answer: they are heard and answered, and no voicemail text is said', async () => {
    const outcome = await answer(PERSONS, 'a slow beginning', 'machine_start');
    expect(notices(outcome)).toEqual([
      "answering_machine: An answering machine, by carrier: the carrier's verdict.",
      'answering_machine_corrected: A person has answered after all; the conversation goes on.',
    ]);
    expect(outcome.stage.turns().slice(0, 5)).toEqual([
      expect.stringMatching(/^agent: Good morning/),
      'caller: Hello.',
      'agent: I am —',
      'caller: Sorry, I dropped the phone. Who is calling?',
      'agent: I am calling about your order.',
    ]);
  });

  it('is corrected in the middle of the message, too', async () => {
    const outcome = await answer(PERSONS, 'somebody in a hurry', 'machine_start');
    const { stage } = outcome;
    expect(notices(outcome).map((notice) => notice.split(':')[0])).toEqual([
      'answering_machine',
      'voicemail_message',
      'answering_machine_corrected',
    ]);
    const spoken = stage.turns();
    const cut = spoken.findIndex((turn) => /^agent: This is Anna .* —$/.test(turn));
    expect(spoken.slice(cut, cut + 3)).toEqual([
      expect.stringMatching(/^agent: This is/),
      'caller: Hello? Are you there?',
      'agent: I am calling about your order.',
    ]);
  });
});
