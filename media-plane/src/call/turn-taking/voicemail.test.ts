import { describe, expect, it } from 'vitest';
import type { ScriptedCallOptions } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const firstMessage = 'Good morning, this is Anna from the bakery.';
const message = 'Please call the bakery back.';

function answeredByMachine(voicemail: {
  detect?: boolean;
  action?: 'hangup' | 'leave_message';
  message?: string;
}) {
  const call = new ScriptedCall({
    options: { firstMessage, voicemail: { detect: true, action: 'hangup', message: '', ...voicemail } },
  }).start();
  return call.until('play').run(700);
}

describe('an answering machine', () => {
  it.each(['machine_start', 'machine_end', 'fax'] as const)('is hung up on at once (%s)', (kind) => {
    const call = answeredByMachine({}).send({ type: 'machine_detected', kind });
    expect(call.ended?.reason).toBe('voicemail');
    expect(call.now).toBe(800);
  });

  it('is left a message after its greeting, which nothing cuts', () => {
    const call = answeredByMachine({ action: 'leave_message', message });
    call.send({ type: 'machine_detected', kind: 'machine_start' });
    expect(call.trace().slice(-5)).toEqual([
      'clear 1',
      'abort 1 closing',
      // Prepared, and played after the greeting.
      `say 2 uninterruptible "${message}"`,
      'truncate 1 at 700',
      'remember agent "Good morning," interrupted',
    ]);
    call.callerSays('Please leave a message after the beep');
    call.run(5000);
    expect(call.all('generate')).toEqual([]);
    call.send({ type: 'machine_detected', kind: 'machine_end' });
    call.run(100);
    call.callerSays('beep');
    call.until('hang_up');
    expect(call.heard).toEqual(['Good morning,', message]);
    expect(call.all('say').at(-1)).toMatchObject({ text: message, uninterruptible: true });
    expect(call.ended?.reason).toBe('voicemail');
  });

  it('is left the message also when the end of its greeting is never reported', () => {
    const call = answeredByMachine({ action: 'leave_message', message });
    call.send({ type: 'machine_detected', kind: 'machine_start' });
    call.until('hang_up');
    expect(call.timeOf('play', (effect) => effect.type === 'play' && effect.turn === 2)).toBe(800 + 30_000);
    expect(call.heard.at(-1)).toBe(message);
  });

  it.each([
    ['greeting', 100],
    ['message', 31_000],
  ])('is left the whole message where the recogniser fails for good during the %s', (_, afterMs) => {
    const call = answeredByMachine({ action: 'leave_message', message });
    call.send({ type: 'machine_detected', kind: 'machine_start' });
    call.run(afterMs).send({ type: 'provider_failed', code: 'stt_timed_out' });
    call.until('hang_up');
    expect(call.heard.at(-1)).toBe(message);
    expect(call.ended).toMatchObject({ reason: 'voicemail', errorCode: null });
  });

  it('is hung up on where the voice of the message does not begin in time, with a notice in the timeline', () => {
    const call = new ScriptedCall({
      options: { firstMessage, voicemail: { detect: true, action: 'leave_message', message } },
      voiceMs: (n) => (n === 0 ? 0 : 60_000),
    }).start();
    call.until('play').run(700).send({ type: 'machine_detected', kind: 'machine_end' });
    call.until('hang_up');
    expect(call.heard).toEqual(['Good morning,']);
    expect(noticesOf(call)).toEqual(['answering_machine', 'voicemail_message', 'voicemail_message_not_left']);
    expect(call.ended?.reason).toBe('voicemail');
  });

  it('that hangs up during the message was still a voicemail', () => {
    const call = answeredByMachine({ action: 'leave_message', message });
    call.send({ type: 'machine_detected', kind: 'machine_end' });
    call.until('play').run(400).send({ type: 'carrier_stopped' });
    expect(call.ended?.reason).toBe('voicemail');
  });

  it('is talked to where detection is off', () => {
    const call = answeredByMachine({ detect: false }).send({ type: 'machine_detected', kind: 'machine_end' });
    call.untilQuiet();
    expect(call.heard).toEqual([firstMessage]);
  });
});

/** Lets the other end speak to the end, its final text included, and be silent for `silenceMs`. */
function says(call: ScriptedCall, text: string, silenceMs = 0): ScriptedCall {
  return call.run(call.callerSays(text) + 300 + silenceMs);
}

const noticesOf = (call: ScriptedCall) => call.all('notice').map(({ code }) => code);
const beep = { type: 'beep', hz: 1000, ms: 400 } as const;

describe('a machine that the carrier does not report', () => {
  const leaving = { action: 'leave_message', message } as const;

  it('is known by its words, in its language or in English', () => {
    const call = new ScriptedCall({ options: { language: 'de-DE', firstMessage } }).start();
    says(call, 'Bitte hinterlassen Sie eine Nachricht nach dem Signalton', 600);
    expect(call.ended?.reason).toBe('voicemail');
    const carriers = new ScriptedCall({ options: { language: 'de-DE', firstMessage } }).start();
    says(carriers, 'Please record your message at the tone', 600);
    expect(carriers.ended?.reason).toBe('voicemail');
  });

  it('is known by its beep after a greeting without any of the words', () => {
    const call = answeredByMachine(leaving);
    says(call, 'Hey it is Sam you know what to do so do it', 300);
    expect(noticesOf(call)).toEqual([]);
    call.send(beep).until('hang_up');
    expect(call.all('notice').map((notice) => notice.message)).toEqual([
      expect.stringContaining('by beep'),
      'The message is left after the beep.',
    ]);
    expect(call.heard.at(-1)).toBe(message);
  });

  it('is known by an endless greeting alone where the words are not known', () => {
    const call = new ScriptedCall({
      options: { firstMessage: '', hearsWords: false, voicemail: { detect: true, ...leaving } },
    }).start();
    call.callerSpeaks(13_000);
    call.run(12_100);
    expect(call.all('notice')[0]?.message).toContain('by greeting_length');
  });

  it('is not looked for where detection is off', () => {
    const call = answeredByMachine({ detect: false });
    says(call, 'Please leave a message after the tone', 1000);
    call.send(beep).run(1000);
    expect(noticesOf(call)).toEqual([]);
    expect(call.openTimers.has('answering_machine')).toBe(false);
  });

  it('is not looked for once somebody has replied to an answer', () => {
    const call = answeredByMachine({}).run(3000);
    says(call, 'Yes this is Sam');
    call.untilQuiet();
    says(call, 'I want to order a cake', 1000);
    call.untilQuiet();
    says(call, 'Can I leave a message after the tone', 1000);
    call.send(beep).untilQuiet();
    expect(noticesOf(call)).toEqual([]);
    expect(call.ended).toBeUndefined();
  });

  it.each([
    ['a receptionist’s question', 'He is not available would you like to leave a message?'],
    ['a menu', 'Thank you for calling for sales press one for service press two for anything else hold'],
    ['a long hello', 'Good morning Miller bakery you are talking to Anna how can I help you'],
  ])('is not taken for one: %s', (_, text) => {
    const call = says(answeredByMachine({}), text, 1500);
    expect(noticesOf(call)).toEqual([]);
    expect(call.ended).toBeUndefined();
  });

  describe('in mid-conversation', () => {
    /** A call whose caller says something at once and listens to the first message. */
    const greeted = (hello: string, script: ScriptedCallOptions = {}) => {
      const options = {
        firstMessage,
        voicemail: { detect: true, action: 'hangup', message: '' },
        ...script.options,
      };
      const call = new ScriptedCall({
        voiceMs: (n) => (n === 0 ? 1500 : 100),
        ...script,
        options,
      } as ScriptedCallOptions);
      call.start().run(500);
      call.callerSays(hello);
      return call.until('play').run(4000);
    };

    it.each([
      ['who has got its voicemail', 'Yes hi I got your voicemail yesterday'],
      ['who asks for a number', 'I am driving just leave your number with me'],
    ])('is not taken for one: a person %s', (_, text) => {
      const call = greeted('Hello?');
      expect(call.heard).toEqual([firstMessage]);
      says(call, text, 1500);
      call.untilQuiet();
      expect(noticesOf(call)).toEqual([]);
      expect(call.ended).toBeUndefined();
    });

    it.each([
      ['question', 'Good morning Miller and Sons this is Anna speaking how can I help'],
      ['name', 'Good morning Miller and Sons this is Anna the secretary of Mister Miller'],
    ])('is not taken for one: a receptionist whose long greeting ends with a %s', (_, greeting) => {
      const call = new ScriptedCall({ options: { firstMessage: '' } }).start().run(500);
      says(call, greeting, 2500);
      says(call, 'He is not available he is out of the office', 1500);
      expect(noticesOf(call)).toEqual([]);
      expect(call.ended).toBeUndefined();
    });

    it('is not taken for one: a person who interrupts an answer', () => {
      const call = greeted('Hello?', {
        model: () => ({
          sentences: ['I am calling about the cake that you have ordered for Sunday at our bakery.'],
        }),
      });
      call.run(6000);
      says(call, 'Yes this is Sam');
      call.until('play').run(1200);
      says(call, 'I got your voicemail about that', 1500);
      expect(call.heard[1]).toMatch(/^I am calling/);
      expect(noticesOf(call)).toEqual([]);
      expect(call.ended).toBeUndefined();
    });

    it('is not taken for one by words that are known only later', () => {
      const call = new ScriptedCall({ options: { firstMessage, hearsWords: false }, voiceMs: () => 1500 });
      call.start().run(500);
      call.callerSpeaks(400);
      call.until('play').run(4000);
      call.callerSpeaks(2000);
      call.until('generate');
      call.send({ type: 'transcribed', answer: 2, text: 'I got your voicemail yesterday' }).run(2000);
      expect(noticesOf(call)).toEqual([]);
    });

    it('is known by its beep, or by the carrier, all the same', () => {
      const call = greeted('Hello?');
      says(call, 'Please leave a message after the tone', 300);
      expect(noticesOf(call)).toEqual([]);
      call.send(beep).run(1000);
      expect(call.ended?.reason).toBe('voicemail');
      const verdict = greeted('Hello?');
      verdict.send({ type: 'machine_detected', kind: 'machine_start' }, 1500);
      says(verdict, 'Please leave a message after the tone', 1500);
      expect(verdict.ended?.reason).toBe('voicemail');
    });
  });

  it('is known by its words however late its greeting begins, after a click, too', () => {
    const call = answeredByMachine({});
    call.callerCoughs(200);
    call.run(4500);
    expect(call.heard).toEqual([firstMessage]);
    says(call, 'Please leave a message after the tone', 600);
    expect(call.ended?.reason).toBe('voicemail');
  });

  it('is known by its words after a name and a pause', () => {
    const call = new ScriptedCall({ options: { firstMessage } }).start().run(1200);
    says(call, 'Hi this is Sam', 1000);
    says(call, 'I am away so please leave me a message', 600);
    expect(call.ended?.reason).toBe('voicemail');
  });

  it('is no tone that speech follows', () => {
    const call = answeredByMachine({}).run(2000);
    says(call, 'Sam here', 200);
    call.send(beep).run(500);
    says(call, 'Sorry that was the microwave it is always so loud in here', 1500);
    expect(noticesOf(call)).toEqual([]);
  });
});

describe('a person taken for a machine by the carrier', () => {
  const leaving = { action: 'leave_message', message } as const;

  it('is not hung up on after a short hello', () => {
    const call = says(answeredByMachine({}), 'Hello', 300);
    call.send({ type: 'machine_detected', kind: 'machine_start' }).run(1500);
    expect(noticesOf(call)).toEqual(['answering_machine_overruled']);
    expect(call.ended).toBeUndefined();
  });

  it('is not hung up on in the middle of what may be one', () => {
    const call = answeredByMachine({}).run(1500);
    call.callerSays('Yes hello');
    call.run(300).send({ type: 'machine_detected', kind: 'machine_start' }).run(2000);
    expect(noticesOf(call)).toEqual(['answering_machine_overruled']);
  });

  it('is heard, and answered within two seconds of their hello', () => {
    const call = answeredByMachine(leaving);
    call.send({ type: 'machine_detected', kind: 'machine_start' }).run(500);
    const lasts = call.callerSays('Hello?');
    const endsAt = call.now + lasts;
    call.until('generate');
    expect(call.now - endsAt).toBeLessThan(2000);
    expect(noticesOf(call).at(-1)).toBe('answering_machine_corrected');
    call.untilQuiet();
    expect(call.transcript.map(({ text }) => text)).toContain('Hello?');
    expect(call.heard).not.toContain(message);
  });

  it('is not talked to where the recogniser has failed for good meanwhile', () => {
    const call = answeredByMachine(leaving);
    call.send({ type: 'machine_detected', kind: 'machine_start' }).run(500);
    call.callerSays('Hello?');
    call.send({ type: 'provider_failed', code: 'stt_timed_out' });
    call.until('hang_up');
    expect(call.ended).toMatchObject({ reason: 'provider_failed', errorCode: 'stt_timed_out' });
    expect(call.heard).not.toContain(message);
  });

  it('gets the whole disclosure when the verdict has cut it', () => {
    const disclosure = 'This call is recorded and you may object at any time.';
    const call = new ScriptedCall({
      options: { disclosure, firstMessage, voicemail: { detect: true, ...leaving } },
    }).start();
    call.until('play').run(600).send({ type: 'machine_detected', kind: 'machine_start' }).run(500);
    call.callerSays('Hello?');
    call.run(4000).untilQuiet();
    const after = call.heard.slice(1);
    expect(after.slice(0, 2)).toEqual([disclosure, firstMessage]);
  });

  it('is believed for good after the second correction', () => {
    const call = answeredByMachine(leaving);
    for (const kind of ['machine_start', 'machine_start', 'machine_end'] as const) {
      call.send({ type: 'machine_detected', kind }).run(500);
      call.callerSays('Hello?');
      call.run(1600);
    }
    expect(noticesOf(call).filter((code) => code === 'answering_machine_corrected')).toHaveLength(2);
    expect(noticesOf(call).at(-1)).toBe('answering_machine_overruled');
  });
});

describe('the message', () => {
  const long = 'This is Anna from the bakery please call us back about your order of a cake for Sunday';
  const machine = () =>
    answeredByMachine({ action: 'leave_message', message: long }).send({
      type: 'machine_detected',
      kind: 'machine_start',
    });

  it('waits while the greeting goes on after a pause', () => {
    const call = machine();
    says(call, 'You have reached the Miller family', 3200);
    expect(noticesOf(call).at(-1)).toBe('voicemail_message');
    call.callerSays('To leave a callback number for the person you have called press five');
    call.run(3000);
    expect(call.state.machine?.kind).toBe('greeting');
    call.run(4000).until('hang_up');
    expect(call.heard.at(-1)).toBe(long);
  });

  it('is ready before the beep, and begins with it', () => {
    const call = machine();
    says(call, 'You have reached the Miller family', 1000);
    expect(call.all('play')).toHaveLength(1);
    call.send(beep);
    expect(call.all('play')).toHaveLength(2);
  });

  it('that is not ready at the beep is begun when it is, once', () => {
    const call = new ScriptedCall({
      options: { firstMessage, voicemail: { detect: true, action: 'leave_message', message: long } },
      voiceMs: () => 5000,
    }).start();
    call.run(200).send({ type: 'machine_detected', kind: 'machine_start' });
    says(call, 'You have reached the Miller family', 200);
    call.send(beep).run(200).send({ type: 'machine_detected', kind: 'machine_end' });
    call.until('hang_up');
    expect(call.all('say').filter(({ text }) => text === long)).toHaveLength(1);
    expect(call.heard).toEqual([long]);
  });

  it('is not said to a person, prepared or not', () => {
    const call = machine().run(500);
    call.callerSays('Hello?');
    call.run(3000).untilQuiet();
    expect(call.heard).not.toContain(long);
  });

  it('is begun anew after the beep, and at most three times', () => {
    const call = machine();
    says(call, 'You have reached the Miller family', 3200);
    call.run(300).send(beep);
    call.until('hang_up');
    expect(call.heard.at(-1)).toBe(long);
    expect(noticesOf(call)).toEqual(['answering_machine', 'voicemail_message', 'voicemail_message']);
  });
});
