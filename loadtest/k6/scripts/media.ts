import { sleep } from 'k6';
import crypto from 'k6/crypto';
import http from 'k6/http';
import { Caller, CallMetrics } from './caller.ts';
import { settings } from './settings.ts';
import { type StreamStart, TwilioLine } from './twilio-line.ts';

const metrics = new CallMetrics('media');

/**
 * Plays Twilio for one inbound call: asks the system's signed webhook what to do, opens the media stream that it is
 * answered with, converses, and reports the end.
 */
export function media(): void {
  const askedAt = Date.now();
  const callSid = `CA${hex(32)}`;
  const asked = callback('inbound', {
    CallSid: callSid,
    AccountSid: settings.carrier.accountSid,
    ApiVersion: '2010-04-01',
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: `+1415555${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`,
    To: settings.phoneNumber,
  });
  const caller = new Caller(metrics, askedAt);
  const start = asked.status === 200 ? streamOf(String(asked.body), callSid) : undefined;
  if (!start) {
    caller.onClosed();
    sleep(1);
    return;
  }
  const line: TwilioLine = new TwilioLine(start, settings.carrier.accountSid, {
    onOpen: () => caller.start(line),
    onAudio: (at, dryMs) => caller.onAudio(at, dryMs),
    onClear: (at) => caller.onClear(at),
    onClosed: () => {
      caller.onClosed();
      callback('status', {
        CallSid: callSid,
        AccountSid: settings.carrier.accountSid,
        CallStatus: 'completed',
        CallDuration: String(Math.round((Date.now() - askedAt) / 1000)),
      });
    },
  });
}

/** Reads the TwiML of `<Connect><Stream>`; undefined where the system says something else, such as that it is full. */
function streamOf(twiml: string, callSid: string): StreamStart | undefined {
  const url = /<Stream\b[^>]*\burl="([^"]+)"/.exec(twiml)?.[1];
  if (!url) return undefined;
  const parameters: Record<string, string> = {};
  for (const [, name, value] of twiml.matchAll(/<Parameter\b[^>]*\bname="([^"]+)"[^>]*\bvalue="([^"]*)"/g))
    parameters[unescapeXml(name!)] = unescapeXml(value!);
  return { url: unescapeXml(url), callSid, parameters };
}

const unescapeXml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Signs a form as Twilio does: HMAC-SHA1 over the address and the sorted parameters. */
function callback(path: 'inbound' | 'status', form: Record<string, string>) {
  const url = `${settings.apiUrl}/internal/carriers/simulated/${path}`;
  const text = Object.keys(form)
    .sort()
    .reduce((signed, name) => signed + name + form[name], url);
  return http.post(url, form, {
    headers: { 'X-Twilio-Signature': crypto.hmac('sha1', settings.carrier.authToken, text, 'base64') },
    tags: { name: `carrier ${path}` },
    responseType: 'text',
  });
}

function hex(digits: number): string {
  let text = '';
  while (text.length < digits) text += Math.floor(Math.random() * 16).toString(16);
  return text;
}
