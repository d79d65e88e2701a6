import { pathToFileURL } from 'node:url';
import { ROOT } from '../system/process.js';
import type { Random } from '../system/seeded-random.js';

/** One thing that reads what others send. */
export interface FuzzTarget {
  /** Forgets what the inputs so far have left: the next are read as the first were. For one that keeps anything. */
  begin?(): void;
  /** Makes one input and has it read. Throws where the reader does what it must not. */
  run(random: Random): void | Promise<void>;
  /** Inputs of one run, where it reads several side by side; default: 1. */
  readonly inputsARun?: number;
}

/** Loads a built module of the product; its names are those of the source. */
export const load = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(`${ROOT}${path}`).href)) as Module;

/** Runs a reader; what it throws must be one of its own refusals, by the error's class. */
export function refusing(classes: readonly string[], read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throwUnexpected(classes, error);
  }
}

export function throwUnexpected(classes: readonly string[], error: unknown): void {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  if (!classes.includes(name)) throw error;
}
