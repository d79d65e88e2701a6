import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { LineListener } from '../lines/port.js';
import { noticeEvent } from './call-event-bodies.js';
import type { Unstamped } from './decision-loop.js';

export interface LineListenerOptions extends Pick<LineListener, 'onAudio' | 'onMark'> {
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly dispatch: (event: Unstamped) => void;
  readonly emit: (body: CallEventBody) => void;
}

/** Creates what a call hears of its line: events for turn-taking, and notices for the call's timeline. */
export function lineListener({ now, onAudio, onMark, dispatch, emit }: LineListenerOptions): LineListener {
  return {
    onAudio,
    onMark,
    onDtmf: (digit) => {
      emit({ kind: 'dtmf', digit, at_ms: Math.round(now()) });
      dispatch({ type: 'dtmf', digit });
    },
    onInterrupted: () => emit(noticeEvent('line_interrupted', 'The line was lost; it may come back.')),
    onRestored: () => emit(noticeEvent('line_restored', 'The line is back.')),
    onClosed: () => dispatch({ type: 'carrier_stopped' }),
  };
}
