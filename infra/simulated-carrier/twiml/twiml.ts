import { parseXml, type XmlElement, XmlError } from './xml.js';

/** An instruction for an answered call; they run in order. */
export type Verb =
  | { readonly verb: 'stream'; readonly url: string; readonly parameters: Readonly<Record<string, string>> }
  | { readonly verb: 'say'; readonly text: string; readonly language: string }
  | { readonly verb: 'pause'; readonly seconds: number }
  /** At `action` is asked, by POST, what comes after it. */
  | { readonly verb: 'dial'; readonly number: string; readonly action: string | undefined }
  /** Joins the conference of this name. */
  | { readonly verb: 'conference'; readonly name: string }
  /** At `url` is asked, by POST, what comes now. */
  | { readonly verb: 'redirect'; readonly url: string }
  | { readonly verb: 'hangup' };

/** A document that Twilio would not run, by its error codes (twilio.com/docs/api/errors). */
export class TwimlError extends Error {
  /** 12100 document parse failure, 12200 schema validation, 13216 Dial: invalid timeLimit, 13223: invalid phone number. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'TwimlError';
    this.code = code;
  }
}

const SCHEMA = 12200;
/** Twilio's limits for custom parameters: name and value together (Media Streams, `<Parameter>`). */
const LONGEST_PARAMETER = 500;

/**
 * Reads TwiML: Connect/Stream/Parameter, Say, Pause, Dial, Redirect and Hangup. Anything else is refused rather than
 * ignored, so that nobody relies on what is not simulated.
 */
export function parseTwiml(source: string): Verb[] {
  let root: XmlElement;
  try {
    root = parseXml(source);
  } catch (error) {
    if (error instanceof XmlError) throw new TwimlError(12100, `Document parse failure: ${error.message}`);
    throw error;
  }
  if (root.name !== 'Response')
    throw new TwimlError(SCHEMA, `the root element is ${root.name}, not Response`);
  return root.children.map(verbOf);
}

function verbOf(element: XmlElement): Verb {
  switch (element.name) {
    case 'Connect':
      allow(element, []);
      return streamOf(element);
    case 'Say':
      allow(element, ['voice', 'language', 'loop']);
      if (element.children.length > 0) throw new TwimlError(SCHEMA, 'SSML in Say is not simulated');
      return {
        verb: 'say',
        text: element.text.trim(),
        language: element.attributes.language ?? 'en-US',
      };
    case 'Pause':
      allow(element, ['length']);
      return { verb: 'pause', seconds: secondsOf(element) };
    case 'Redirect':
      allow(element, ['method']);
      return { verb: 'redirect', url: redirectUrl(element) };
    case 'Hangup':
      allow(element, []);
      return { verb: 'hangup' };
    case 'Dial':
      allow(element, ['callerId', 'timeout', 'timeLimit', 'answerOnBridge', 'action', 'method']);
      checkTimeLimit(element);
      if (element.children[0]?.name === 'Conference') return conferenceOf(element);
      return { verb: 'dial', number: numberOf(element), action: actionOf(element) };
    default:
      throw new TwimlError(SCHEMA, `${element.name} is not simulated`);
  }
}

function streamOf(connect: XmlElement): Verb {
  const [stream, ...more] = connect.children;
  if (stream?.name !== 'Stream' || more.length > 0) {
    throw new TwimlError(SCHEMA, 'Connect must hold one Stream; nothing else is simulated');
  }
  allow(stream, ['url', 'name', 'track']);
  if ((stream.attributes.track ?? 'inbound_track') !== 'inbound_track') {
    throw new TwimlError(SCHEMA, 'a Stream in Connect carries the inbound_track only');
  }
  const url = streamUrl(stream.attributes.url);
  const parameters: Record<string, string> = {};
  for (const parameter of stream.children) {
    if (parameter.name !== 'Parameter') throw new TwimlError(SCHEMA, `${parameter.name} in Stream`);
    allow(parameter, ['name', 'value']);
    const { name, value } = parameter.attributes;
    if (name === undefined || value === undefined) {
      throw new TwimlError(SCHEMA, 'a Parameter needs name and value');
    }
    if (name.length + value.length > LONGEST_PARAMETER) {
      throw new TwimlError(SCHEMA, `Parameter ${name} is longer than ${LONGEST_PARAMETER} characters`);
    }
    parameters[name] = value;
  }
  return { verb: 'stream', url, parameters };
}

/** Reads a stream's URL: wss, or ws in the simulation; without a query, which Twilio does not support. */
function streamUrl(text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['ws:', 'wss:'].includes(url.protocol)) {
    throw new TwimlError(SCHEMA, 'Stream needs a ws or wss url');
  }
  if (url.search !== '')
    throw new TwimlError(SCHEMA, 'the url of a Stream must have no query; use Parameter');
  return url.href;
}

function conferenceOf(dial: XmlElement): Verb {
  const [conference, ...more] = dial.children;
  if (!conference || more.length > 0) throw new TwimlError(SCHEMA, 'Dial must hold one Conference');
  allow(conference, ['beep', 'startConferenceOnEnter', 'endConferenceOnExit', 'waitUrl', 'muted']);
  const name = conference.text.trim();
  if (name === '') throw new TwimlError(SCHEMA, 'a Conference needs a name');
  if (conference.attributes.endConferenceOnExit !== 'true') {
    throw new TwimlError(SCHEMA, 'only conferences that end when somebody leaves are simulated');
  }
  return { verb: 'conference', name };
}

function numberOf(dial: XmlElement): string {
  const [noun, ...more] = dial.children;
  if (more.length > 0 || (noun && noun.name !== 'Number')) {
    throw new TwimlError(SCHEMA, 'Dial must hold one number; nothing else is simulated');
  }
  const number = (noun?.text ?? dial.text).trim();
  if (!/^\+[1-9]\d{1,14}$/.test(number)) throw new TwimlError(13223, `Dial: invalid phone number ${number}`);
  return number;
}

/** Nobody talks for as long here: only its form counts. */
function checkTimeLimit({ attributes: { timeLimit } }: XmlElement): void {
  if (timeLimit !== undefined && !/^[1-9]\d*$/.test(timeLimit))
    throw new TwimlError(13216, `Dial: timeLimit must be a positive integer, in seconds: ${timeLimit}`);
}

function actionOf({ attributes: { action, method } }: XmlElement): string | undefined {
  if ((method ?? 'POST') !== 'POST') throw new TwimlError(SCHEMA, 'an action is only asked by POST');
  if (action === undefined) return undefined;
  if (!URL.canParse(action)) throw new TwimlError(SCHEMA, 'the action of a Dial must be an absolute URL');
  return action;
}

function redirectUrl({ attributes: { method }, text }: XmlElement): string {
  if ((method ?? 'POST') !== 'POST') throw new TwimlError(SCHEMA, 'a Redirect is only asked by POST');
  const url = text.trim();
  if (!URL.canParse(url)) throw new TwimlError(SCHEMA, 'a Redirect needs an absolute URL');
  return url;
}

function secondsOf(pause: XmlElement): number {
  const seconds = Number(pause.attributes.length ?? '1');
  if (!Number.isInteger(seconds) || seconds < 0) throw new TwimlError(SCHEMA, 'Pause: length is no number');
  return seconds;
}

function allow(element: XmlElement, attributes: readonly string[]): void {
  for (const name of Object.keys(element.attributes)) {
    if (!attributes.includes(name)) throw new TwimlError(SCHEMA, `${element.name} ${name} is not simulated`);
  }
}
