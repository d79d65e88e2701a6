import { LONGEST_TRANSFERRED_TALK_SECONDS } from '../port.js';
import type { PlivoInstruction } from './instruction.js';

/** Writes an instruction as Plivo's XML (plivo.com/docs/voice/xml). */
export function plivoXml(what: PlivoInstruction): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${elements(what)}</Response>`;
}

function elements(what: PlivoInstruction): string {
  switch (what.do) {
    case 'stream':
      return element('Stream', streamAttributes(what.callId, what.token), what.url);
    case 'say':
      return `${element('Speak', {}, what.text)}<Hangup/>`;
    case 'dial': {
      const timeLimit = String(LONGEST_TRANSFERRED_TALK_SECONDS);
      const attributes = { callerId: digits(what.from), timeLimit, action: what.action, method: 'POST' };
      return `${open('Dial', attributes)}${element('Number', {}, digits(what.to))}</Dial>`;
    }
    case 'meet': {
      const attributes = { startConferenceOnEnter: 'true', endConferenceOnExit: 'true' };
      return element('Conference', attributes, what.room);
    }
    case 'brief':
      return element('Speak', {}, what.briefing) + element('Redirect', { method: 'POST' }, what.next);
    case 'hang_up':
      return '<Hangup/>';
  }
}

/** Two-way in mu-law; the call lasts as long as its stream. Letters and digits alone pass in `extraHeaders`. */
function streamAttributes(callId: string, token: string) {
  const hexToken = Buffer.from(token, 'utf8').toString('hex');
  return {
    bidirectional: 'true',
    keepCallAlive: 'true',
    contentType: 'audio/x-mulaw;rate=8000',
    extraHeaders: `callId=${callId.replaceAll('-', '')},token=${hexToken}`,
  };
}

/** Plivo writes numbers without the plus. */
export function digits(e164: string): string {
  return e164.replace(/^\+/, '');
}

function open(name: string, attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join('')}>`;
}

function element(name: string, attributes: Readonly<Record<string, string>>, text: string): string {
  return `${open(name, attributes)}${escaped(text)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
