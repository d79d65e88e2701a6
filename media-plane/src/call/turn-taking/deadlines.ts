import { answerDeadline } from './answer-deadline.js';
import { bargeInDeadline, onBargeInTimer } from './barge-in.js';
import { closingDeadline, maxDurationDeadline, onClosingTimer, onMaxDuration } from './closing.js';
import { endpointingDeadline, endTurn, maxEndpointingDeadline, onMaxEndpointing } from './endpointing.js';
import { onAnswerDeadline } from './failure.js';
import { falseInterruptionDeadline, onFalseInterruption } from './false-interruption.js';
import { guessDeadline, onGuessDue } from './preemption.js';
import { fillerDeadline, onFiller, onSilence, silenceDeadline } from './silence.js';
import type { Deadlines } from './timers.js';
import { answeringMachineDeadline } from './voicemail.js';

/** Every rule that waits for a moment: when that is, and what it then leads to. */
export const DEADLINES: Deadlines = {
  endpointing: { at: endpointingDeadline, onDue: endTurn },
  max_endpointing: { at: maxEndpointingDeadline, onDue: onMaxEndpointing },
  stable_interim: { at: guessDeadline, onDue: onGuessDue },
  barge_in: { at: bargeInDeadline, onDue: onBargeInTimer },
  false_interruption: { at: falseInterruptionDeadline, onDue: onFalseInterruption },
  filler: { at: fillerDeadline, onDue: onFiller },
  answer: { at: answerDeadline, onDue: onAnswerDeadline },
  // Judged after every event.
  answering_machine: { at: answeringMachineDeadline, onDue: () => {} },
  silence: { at: silenceDeadline, onDue: onSilence },
  max_duration: { at: maxDurationDeadline, onDue: onMaxDuration },
  closing: {
    at: closingDeadline,
    onDue: onClosingTimer,
  },
};
