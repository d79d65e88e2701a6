import { END_REASONS } from '@voice/shared/contracts/primitives';
import { describe, expect, it } from 'vitest';
import { keyAction, recovery } from '../../../assets/talk/controls.js';
import { clock, latencyDetails, median, qualityText, seconds } from '../../../assets/talk/figures.js';
import { endText, environmentProblem, microphoneProblem, refusal } from '../../../assets/talk/messages.js';

const able = { isSecureContext: true, hasMediaDevices: true, hasPeerConnection: true };

describe('what keeps a browser from talking', () => {
  it('is nothing where it has all', () => {
    expect(environmentProblem(able)).toBeNull();
  });

  it.each([
    [{ isSecureContext: false, hasMediaDevices: false }, /https/],
    [{ hasPeerConnection: false }, /Chrome, Edge, Firefox or Safari/],
    [{ hasMediaDevices: false }, /Chrome, Edge, Firefox or Safari/],
  ])('says what to do: %o', (lack, advice) => {
    expect(environmentProblem({ ...able, ...lack })?.text).toMatch(advice);
  });

  it.each(['NotAllowedError', 'NotFoundError', 'NotReadableError', 'SomethingNewError'])(
    'says what to do about the microphone, and lets try again: %s',
    (name) => {
      const { title, text, retry } = microphoneProblem(name);
      expect(title).toMatch(/microphone/i);
      expect(text).toMatch(/try again/i);
      expect(retry).toBe(true);
    },
  );
});

describe('a refusal of the API', () => {
  const refused = (status: number, code: string, retryAfter: string | null = null) =>
    refusal({ status, code, detail: 'Why.', retryAfter });

  it('leads to the sign-in without a session', () => {
    expect(refused(401, 'session_expired')).toEqual({ kind: 'signed_out', expired: true });
    expect(refused(401, 'missing_credentials')).toEqual({ kind: 'signed_out', expired: false });
  });

  it('is waited for as long as the service says, and the reason is shown', () => {
    expect(refused(503, 'webrtc_not_available', '95')).toMatchObject({
      kind: 'wait',
      seconds: 95,
      text: 'Why.',
    });
    expect(refused(503, 'workers_at_capacity')).toMatchObject({ kind: 'wait', seconds: 5 });
    expect(refused(429, 'rate_limited', '9999')).toMatchObject({ kind: 'wait', seconds: 120 });
    expect(refused(503, 'worker_unreachable', 'soon')).toMatchObject({ kind: 'wait', seconds: 5 });
  });

  it('is not waited for where WebRTC will not come', () => {
    expect(refused(503, 'webrtc_not_available')).toMatchObject({
      kind: 'problem',
      problem: { title: 'WebRTC is not available', text: 'Why.' },
    });
  });

  it('says in words what is wrong otherwise', () => {
    expect(refused(0, 'unreachable')).toMatchObject({ kind: 'problem' });
    expect(refused(409, 'agent_inactive')).toMatchObject({
      problem: { title: 'This agent is switched off', text: 'Why.', retry: true },
    });
    expect(refused(500, 'internal_error')).toMatchObject({ problem: { text: 'Why.' } });
  });
});

describe('a connection', () => {
  it('that is new, connecting or there is let be', () => {
    for (const state of ['new', 'connecting', 'connected', 'closed']) expect(recovery(state, 0)).toBeNull();
  });

  it('that is interrupted may heal, then restarts ICE, then is made anew, then is given up', () => {
    expect(recovery('disconnected', 0)).toEqual({ kind: 'restart', afterMs: 1500 });
    expect(recovery('failed', 0)).toEqual({ kind: 'restart', afterMs: 500 });
    expect(recovery('failed', 1)).toMatchObject({ kind: 'restart' });
    expect(recovery('failed', 2)).toMatchObject({ kind: 'anew' });
    expect(recovery('failed', 4)).toMatchObject({ kind: 'anew' });
    expect(recovery('disconnected', 5)).toEqual({ kind: 'give_up' });
  });
});

describe('keys', () => {
  const pressed = (key: string, more: Partial<Parameters<typeof keyAction>[0]> = {}) =>
    keyAction({ key, repeat: false, withModifier: false, target: 'other', ...more });

  it('mute and hang up', () => {
    expect([pressed(' '), pressed('m'), pressed('M'), pressed('Escape'), pressed('x')]).toEqual([
      'mute',
      'mute',
      'mute',
      'hang_up',
      null,
    ]);
  });

  it('are left to the control that has the focus, and to the browser', () => {
    expect(pressed(' ', { target: 'button' })).toBeNull();
    expect(pressed('m', { target: 'select' })).toBeNull();
    expect(pressed('m', { withModifier: true })).toBeNull();
    expect(pressed('m', { repeat: true })).toBeNull();
    expect(pressed('Escape', { target: 'button' })).toBe('hang_up');
  });
});

describe('figures', () => {
  it('are short', () => {
    expect([seconds(82.4), seconds(1240), clock(125_900), clock(3_599_000)]).toEqual([
      '82 ms',
      '1.24 s',
      '2:05',
      '59:59',
    ]);
    expect(qualityText({ packetsReceived: 996, packetsLost: 4, roundTripMs: 23.4 })).toBe(
      '0.4 % lost · 23 ms',
    );
    expect(qualityText({ packetsReceived: 0, packetsLost: 0, roundTripMs: null })).toBe('0 % lost');
    expect([median([]), median([3]), median([9, 1, 5]), median([1, 2, 3, 4])]).toEqual([null, 3, 5, 2]);
  });

  it('say what a turn’s time went into', () => {
    const none = {
      turn: 1,
      end_of_turn_delay_ms: null,
      stt_final_ms: null,
      llm_first_token_ms: 420,
      tts_first_audio_ms: null,
      response_latency_ms: 582,
      barge_in_latency_ms: null,
      preempted: true,
    };
    expect(latencyDetails(none)).toBe(
      'first word of the answer 420 ms · on the line 582 ms · answer begun ahead',
    );
  });

  it('end with every reason in words', () => {
    expect(endText({ reason: 'caller_hangup', durationMs: 65_000 })).toBe('You hung up. It took 1:05.');
    for (const reason of END_REASONS)
      expect(endText({ reason, durationMs: 0 })).toMatch(/^[A-Z].+\. It took 0:00\.$/);
  });
});
