import { accessSync, constants } from 'node:fs';
import { runCommand } from '../installation/command.js';

/** What the worker exits with when it is started without the variable that its library sets (its `main.cpp`). */
const EXIT_WITHOUT_VERSION = 41;

/** Checks whether the file is mediasoup's worker and its libraries are those of this machine. */
export async function runsHere(binary: string, signal?: AbortSignal): Promise<boolean> {
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    return false;
  }
  return (await runCommand(binary, [], { env: {}, signal })).code === EXIT_WITHOUT_VERSION;
}
