import type { CallCommand } from '@voice/shared/contracts/worker';
import type { CallObservers } from './call-observers.js';
import type { Unstamped } from './decision-loop.js';
import type { ToolRunner } from './tool-runner.js';
import { commandEvent } from './turn-taking-inputs.js';

export interface CommandedCall {
  readonly dispatch: (event: Unstamped) => void;
  readonly observers: Pick<CallObservers, 'pauseRecording' | 'resumeRecording'>;
  readonly tools: Pick<ToolRunner, 'transferResult'>;
}

/** Carries out a command of the control plane in a call that is live. */
export function carryOutCommand(
  { command }: CallCommand,
  { dispatch, observers, tools }: CommandedCall,
): void {
  switch (command.kind) {
    case 'pause_recording':
      observers.pauseRecording('command');
      break;
    case 'resume_recording':
      observers.resumeRecording('command');
      break;
    case 'transfer_result':
      tools.transferResult(command.tool_call_id, command.ok, command.message);
      break;
    default: {
      const event = commandEvent(command);
      if (event) dispatch(event);
    }
  }
}
