export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The text directly inside, entities resolved. */
  readonly text: string;
}

export class XmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XmlError';
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const NAME = /[A-Za-z_][\w.-]*/y;
const ATTRIBUTE = /\s+([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

/** Reads the XML that TwiML is written in: elements, attributes, text, comments, CDATA. No DTDs. */
export function parseXml(source: string): XmlElement {
  const reader = new Reader(source);
  reader.skipProlog();
  const root = reader.element();
  reader.skipMisc();
  if (!reader.atEnd) throw new XmlError('content after the root element');
  return root;
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  skipProlog(): void {
    if (this.#source.startsWith('\uFEFF')) this.#at = 1;
    this.#skipSpace();
    if (this.#take('<?xml')) this.#until('?>');
    this.skipMisc();
  }

  /** Skips white space and comments. */
  skipMisc(): void {
    for (;;) {
      this.#skipSpace();
      if (!this.#take('<!--')) return;
      this.#until('-->');
    }
  }

  element(): XmlElement {
    if (!this.#take('<')) throw new XmlError(`expected an element at character ${this.#at}`);
    const name = this.#match(NAME)?.[0];
    if (!name) throw new XmlError(`expected an element's name at character ${this.#at}`);
    const attributes: Record<string, string> = Object.create(null);
    for (let match = this.#match(ATTRIBUTE); match; match = this.#match(ATTRIBUTE)) {
      const attribute = match[1]!;
      if (attribute in attributes) throw new XmlError(`${name} has ${attribute} twice`);
      attributes[attribute] = resolved(match[2] ?? match[3] ?? '');
    }
    this.#skipSpace();
    if (this.#take('/>')) return { name, attributes, children: [], text: '' };
    if (!this.#take('>')) throw new XmlError(`the tag of ${name} does not end`);
    return { name, attributes, ...this.#content(name) };
  }

  #content(name: string): { children: XmlElement[]; text: string } {
    const children: XmlElement[] = [];
    let text = '';
    for (;;) {
      if (this.atEnd) throw new XmlError(`${name} is not closed`);
      if (this.#take('<!--')) this.#until('-->');
      else if (this.#take('<![CDATA[')) text += this.#until(']]>');
      else if (this.#take('</')) {
        if (this.#match(NAME)?.[0] !== name) throw new XmlError(`${name} is closed by another tag`);
        this.#skipSpace();
        if (!this.#take('>')) throw new XmlError(`the closing tag of ${name} does not end`);
        return { children, text };
      } else if (this.#source[this.#at] === '<') children.push(this.element());
      else {
        const next = this.#source.indexOf('<', this.#at);
        const end = next < 0 ? this.#source.length : next;
        text += resolved(this.#source.slice(this.#at, end));
        this.#at = end;
      }
    }
  }

  #skipSpace(): void {
    while (!this.atEnd && /\s/.test(this.#source[this.#at]!)) this.#at++;
  }

  #take(expected: string): boolean {
    if (!this.#source.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #until(end: string): string {
    const found = this.#source.indexOf(end, this.#at);
    if (found < 0) throw new XmlError(`"${end}" is missing`);
    const text = this.#source.slice(this.#at, found);
    this.#at = found + end.length;
    return text;
  }
}

function resolved(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));|&/g, (entity, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const character = code === undefined ? ENTITIES[name] : String.fromCodePoint(Math.min(code, 0x10ffff));
    if (character === undefined) throw new XmlError(`"${entity}" is no entity`);
    return character;
  });
}
