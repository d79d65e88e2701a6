/** One element of an answer, with those within it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** The elements that are emulated, with their attributes (plivo.com/docs/voice/xml). */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  Speak: ['voice', 'language', 'loop'],
  Redirect: ['method'],
  Hangup: ['reason', 'schedule'],
  Dial: ['action', 'method', 'callerId', 'timeout', 'timeLimit', 'hangupOnStar', 'redirect'],
  Number: ['sendDigits'],
  Conference: ['startConferenceOnEnter', 'endConferenceOnExit', 'enterSound', 'waitSound', 'muted'],
  Stream: [
    'bidirectional',
    'audioTrack',
    'streamTimeout',
    'statusCallbackUrl',
    'statusCallbackMethod',
    'contentType',
    'extraHeaders',
    'keepCallAlive',
  ],
};

/** An answer that Plivo would not run: the call ends. */
export class InvalidXml extends Error {}

/** Returns the elements of a `<Response>`, in order. Throws `InvalidXml` for what is not documented. */
export function parseResponse(xml: string): readonly XmlElement[] {
  const document = /^\s*(?:<\?xml[^>]*\?>)?\s*<Response>([\s\S]*)<\/Response>\s*$/.exec(xml);
  if (!document) throw new InvalidXml('no <Response>');
  return elementsOf(document[1]!);
}

const ELEMENT = /<(\w+)((?:\s+\w+="[^"<]*")*)\s*(?:\/>|>([\s\S]*?)<\/\1>)/y;

function elementsOf(content: string): XmlElement[] {
  const found: XmlElement[] = [];
  let at = 0;
  while (content.slice(at).trim() !== '') {
    at += content.slice(at).length - content.slice(at).trimStart().length;
    ELEMENT.lastIndex = at;
    const match = ELEMENT.exec(content);
    if (!match) throw new InvalidXml(`not an element: ${content.slice(at, at + 40)}`);
    const [whole, name = '', written = '', inner = ''] = match;
    const known = KNOWN[name];
    if (!known) throw new InvalidXml(`<${name}> is not emulated`);
    const attributes: Record<string, string> = {};
    for (const [, key = '', value = ''] of written.matchAll(/(\w+)="([^"]*)"/g)) {
      if (!known.includes(key)) throw new InvalidXml(`<${name}> has no ${key}`);
      attributes[key] = unescaped(value);
    }
    const isText = name !== 'Dial';
    if (isText && inner.includes('<')) throw new InvalidXml(`<${name}> holds text alone`);
    found.push({
      name,
      attributes,
      text: isText ? unescaped(inner).trim() : '',
      children: isText ? [] : elementsOf(inner),
    });
    at += whole.length;
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(\w+);|&/g, (whole, name: string | undefined) => {
    const character = name === undefined ? undefined : ENTITIES[name];
    if (character === undefined) throw new InvalidXml(`${whole} is no entity`);
    return character;
  });
}
