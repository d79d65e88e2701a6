import type { LineListener, MediaLine } from '../port.js';

/** Stands where a call would be: listens to a line and keeps what comes over it. */
export class NotedLine implements LineListener {
  readonly line: MediaLine;
  readonly audio: { readonly frame: Uint8Array; readonly positionMs: number; readonly concealed?: true }[] =
    [];
  /** Everything but audio, in order. */
  readonly events: string[] = [];

  constructor(line: MediaLine) {
    this.line = line;
    line.listen(this);
  }

  get closed(): boolean {
    return this.events.includes('closed');
  }

  onAudio(frame: Uint8Array, positionMs: number, concealed: boolean): void {
    this.audio.push({ frame: frame.slice(), positionMs, ...(concealed ? { concealed } : {}) });
  }

  onDtmf(digit: string): void {
    this.events.push(`dtmf ${digit}`);
  }

  onMark(name: string): void {
    this.events.push(`mark ${name}`);
  }

  onInterrupted(): void {
    this.events.push('interrupted');
  }

  onRestored(): void {
    this.events.push('restored');
  }

  onClosed(): void {
    this.events.push('closed');
  }
}
