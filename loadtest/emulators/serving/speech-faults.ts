/** What goes wrong with an emulated voice; all off by default, and changeable while it runs. */
export interface SpeechFaults {
  /** Tears this many connections after `afterAudioMs` of audio. */
  dropNext: number;
  /** Fails in this many turns as the service does, after `afterAudioMs` of audio. */
  errorNext: number;
  /** Sends what the protocol does not have in this many turns, after `afterAudioMs` of audio. */
  garbageNext: number;
  /** Falls silent in this many turns after `afterAudioMs` of audio: the connection stays. */
  freezeNext: number;
  /** Takes the text of this many turns and never makes audio. */
  stallNext: number;
  afterAudioMs: number;
}

export type SpeechFault = 'drop' | 'error' | 'garbage' | 'freeze' | 'stall';
const FAULTS: readonly SpeechFault[] = ['drop', 'error', 'garbage', 'freeze', 'stall'];

export function noSpeechFaults(): SpeechFaults {
  return { dropNext: 0, errorNext: 0, garbageNext: 0, freezeNext: 0, stallNext: 0, afterAudioMs: 0 };
}

/** Takes the fault of the next turn; undefined when none is left. */
export function takeSpeechFault(faults: SpeechFaults): SpeechFault | undefined {
  const fault = FAULTS.find((name) => faults[`${name}Next`] > 0);
  if (fault) faults[`${fault}Next`] -= 1;
  return fault;
}
