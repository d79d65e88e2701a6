import twilio from 'twilio';
import type { InboundAnswer } from '../port.js';

const response = () => new twilio.twiml.VoiceResponse();

/** Open the media stream, with the one-time token as its parameter. */
export function streamTwiml(streamUrl: string, callId: string, token: string): string {
  const twiml = response();
  const stream = twiml.connect().stream({ url: streamUrl });
  stream.parameter({ name: 'call_id', value: callId });
  stream.parameter({ name: 'token', value: token });
  return twiml.toString();
}

export function sayTwiml(text: string): string {
  const twiml = response();
  twiml.say(text);
  twiml.hangup();
  return twiml.toString();
}

/** The caller hears it ring until the other side answers; at `action` is asked what comes then. */
export function dialTwiml(callerId: string, to: string, action: string): string {
  const twiml = response();
  twiml.dial({ callerId, answerOnBridge: true, action, method: 'POST' }, to);
  return twiml.toString();
}

export function hangUpTwiml(): string {
  const twiml = response();
  twiml.hangup();
  return twiml.toString();
}

/** Two people meet in the conference that is named after their transfer; when one leaves, it ends. */
export function conferenceTwiml(transferId: string): string {
  const twiml = response();
  twiml
    .dial()
    .conference({ beep: 'false', startConferenceOnEnter: true, endConferenceOnExit: true }, transferId);
  return twiml.toString();
}

/** Writes the instruction for the human: the briefing; when it was heard to its end, `next` is asked what comes. */
export function briefingTwiml(briefing: string, next: string): string {
  const twiml = response();
  twiml.say(briefing);
  twiml.redirect({ method: 'POST' }, next);
  return twiml.toString();
}

export function inboundTwiml(answer: InboundAnswer): string {
  switch (answer.kind) {
    case 'stream':
      return streamTwiml(answer.streamUrl, answer.callId, answer.streamToken);
    case 'say':
      return sayTwiml(answer.text);
    case 'hang_up':
      return hangUpTwiml();
  }
}
