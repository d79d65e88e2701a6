import type { SmartTurnFiles } from '@voice/shared/local-models/local-models';
import type { EndOfTurnDetector } from './port.js';
import { SmartTurn } from './smart-turn/smart-turn.js';
import { modelThread, type SmartTurnClientOptions } from './smart-turn/smart-turn-client.js';

export interface EndOfTurnDetectorOptions extends Omit<SmartTurnClientOptions, 'start'> {
  /** Undefined where none is installed. */
  readonly files: SmartTurnFiles | undefined;
}

/** Creates the process's detector; nothing is loaded before a call needs it. Undefined where no model is installed. */
export function createEndOfTurnDetector({
  files,
  ...options
}: EndOfTurnDetectorOptions): EndOfTurnDetector | undefined {
  return files && new SmartTurn({ ...options, start: modelThread(files.model) });
}
