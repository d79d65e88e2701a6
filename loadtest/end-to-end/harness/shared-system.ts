import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { lastLines, RunningSystem } from '../../system/launched-system.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedSystem: {
      readonly dataDir: string;
      readonly outputFile: string;
      /** Where the system looks for Deepgram, for tenants with a key of their own; a test that has one starts it. */
      readonly deepgramPort: number;
    };
  }
}

/** The one system of all test files that harm none: each has tenants of its own there. */
export class SharedSystem extends RunningSystem {
  readonly deepgramPort: number;
  readonly #outputFile: string;

  constructor() {
    const { dataDir, outputFile, deepgramPort } = inject('sharedSystem');
    super(dataDir);
    this.deepgramPort = deepgramPort;
    this.#outputFile = outputFile;
  }

  /** What it has written so far, to both outputs. */
  get lines(): string[] {
    return readFileSync(this.#outputFile, 'utf8').trimEnd().split('\n');
  }

  /** Returns the last log lines, for a failed test's message. */
  tail(count = 40): string {
    return lastLines(this.lines, count);
  }
}
