/**
 * What a model writes that is not addressed to the caller: its thoughts, tool calls and tool results written as text,
 * and the marks of its chat template. It is neither spoken nor kept.
 */
const HIDDEN = new Set([
  'think',
  'thinking',
  'thought',
  'thoughts',
  'reasoning',
  'analysis',
  'reflection',
  'scratchpad',
  'tool_call',
  'tool_calls',
  'tool_use',
  'tool_code',
  'tool_response',
  'tool_result',
  'function',
  'function_call',
  'function_calls',
  'function_result',
  'function_results',
  'invoke',
]);

/** A longer tag is none, in characters. */
const LONGEST_TAG = 200;
const TAG = /^<(\/?)([a-z_]+)(?:[\s=:][^<>]*)?(\/?)>$/i;
/** `<|im_end|>`, and `<｜tool▁calls▁begin｜>` of other templates. */
const TEMPLATE_MARK = /^<[|｜][^<>]*[|｜]>$/;

/**
 * Removes hidden blocks from a stream of text. It is fed one UTF-16 unit at a time, so that how the stream is cut makes
 * no difference; what may be the beginning of a tag is held back until it is one or none.
 */
export class HiddenBlocks {
  /** The beginning of what may be a tag. */
  #tag = '';
  /** The name of the block that is open. */
  #open: string | undefined;

  /** Takes the next unit; returns what can be passed on now, mostly the unit itself. */
  push(unit: string): string {
    if (this.#tag === '' && unit !== '<') return this.#open === undefined ? unit : '';
    if (unit === '<') {
      const before = this.#release();
      this.#tag = '<';
      return before;
    }
    this.#tag += unit;
    if (unit === '>') return this.#close();
    const second = this.#tag.length === 2;
    const isTag = second ? /[a-z_/|｜]/i.test(unit) : unit !== '\n' && this.#tag.length <= LONGEST_TAG;
    return isTag ? '' : this.#release();
  }

  /** Returns what was held back: no more text will come. A block that was not closed stays hidden. */
  end(): string {
    const rest = this.#release();
    this.#open = undefined;
    return rest;
  }

  #close(): string {
    const tag = this.#tag;
    if (TEMPLATE_MARK.test(tag)) {
      this.#tag = '';
      return '';
    }
    const [, slash, written = '', empty] = TAG.exec(tag) ?? [];
    const name = written.toLowerCase();
    if (!HIDDEN.has(name)) return this.#release();
    this.#tag = '';
    if (this.#open === undefined) {
      // A closing tag without its opening one: templates begin some answers within the block.
      if (slash === '' && empty === '') this.#open = name;
    } else if (slash === '/' && name === this.#open) {
      this.#open = undefined;
    }
    return '';
  }

  #release(): string {
    const held = this.#tag;
    this.#tag = '';
    return this.#open === undefined ? held : '';
  }
}
