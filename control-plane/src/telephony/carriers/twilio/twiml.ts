import twilio from 'twilio';
import { type InboundAnswer, LONGEST_TRANSFERRED_TALK_SECONDS } from '../port.js';

const response = () => new twilio.twiml.VoiceResponse();

/** As a value between double quotes (xml 1.0, 2.3 and 3.3.3). */
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

const quoted = (value: string) => `"${value.replace(/[&<"\t\n\r]/g, (character) => REFERENCES[character]!)}"`;

/**
 * Open the media stream, with the one-time token as its parameter. Written out, as every call has it: the SDK builds a
 * tree for it that costs as much as sending the request.
 */
export function streamTwiml(streamUrl: string, callId: string, token: string): string {
  const parameter = (name: string, value: string) => `<Parameter name="${name}" value=${quoted(value)}/>`;
  const parameters = parameter('call_id', callId) + parameter('token', token);
  const stream = `<Stream url=${quoted(streamUrl)}>${parameters}</Stream>`;
  return `<?xml version="1.0" encoding="UTF-8"?><Response><Connect>${stream}</Connect></Response>`;
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
  const timeLimit = LONGEST_TRANSFERRED_TALK_SECONDS;
  twiml.dial({ callerId, answerOnBridge: true, timeLimit, action, method: 'POST' }, to);
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
