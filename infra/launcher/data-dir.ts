import { accessSync, constants, mkdirSync } from 'node:fs';

/** Makes the data directory, for its owner alone (it holds recordings and transcripts), if there is none. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    throw new Error(
      `DATA_DIR ${dataDir} cannot be written: ${(cause as Error).message}. Choose another: DATA_DIR=… npm start.`,
      { cause },
    );
  }
}
