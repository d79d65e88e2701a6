import { describe, expect, it } from 'vitest';
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
    expect(call.trace().slice(-4)).toEqual([
      'clear 1',
      'abort 1 closing',
      'truncate 1 at 700',
      'remember agent "Good morning," interrupted',
    ]);
    call.callerSays('Please leave a message after the beep');
    call.run(5000);
    expect(call.all('generate')).toEqual([]);
    call.send({ type: 'machine_detected', kind: 'machine_end' });
    call.until('play').run(100);
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
    expect(call.timeOf('say', (effect) => effect.type === 'say' && effect.text === message)).toBe(
      800 + 30_000,
    );
    expect(call.heard.at(-1)).toBe(message);
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
