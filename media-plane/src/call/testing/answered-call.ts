import type { CallCommand } from '@voice/shared/contracts/worker';
import { playPhone, type RenderedPhone } from '../../testing/answered-phone.js';
import { CascadedStage } from './cascaded-stage.js';

export const MESSAGE =
  'This is Anna from the bakery with a message for Sam Taylor. Your order is ready; please call us back today.';

type AnsweredBy = Extract<CallCommand['command'], { kind: 'machine_detected' }>['answered_by'];

/** When carriers say who has answered, in ms after the answer. */
const VERDICT_MS = 2500;
/** Longer than any of the phones, and than a message. In ms. */
const WATCHED_MS = 32_000;

export interface AnsweredOutcome {
  readonly stage: CascadedStage;
  readonly endedAsVoicemail: boolean;
  readonly tookForMachine: boolean;
  /** Whether the phone beeped, and whether the message that was left began after that. */
  readonly beeped: boolean;
  readonly messageAfterBeep: boolean;
}

/** Lets a call with an agent that leaves messages meet the phone, and the carrier say what it takes it for. */
export async function playAnswered(
  rendered: RenderedPhone,
  verdict?: AnsweredBy,
  action: 'hangup' | 'leave_message' = 'leave_message',
): Promise<AnsweredOutcome> {
  const stage = new CascadedStage({
    firstMessage: 'Good morning, this is Anna from the bakery.',
    answers: Array.from({ length: 8 }, () => 'I am calling about your order.'),
    agent: {
      language: rendered.phone.language,
      voicemail: { detect: true, action, message: MESSAGE },
    },
  });
  const messages: number[] = [];
  stage.clock.schedule(VERDICT_MS, () => {
    if (!verdict || stage.over) return;
    stage.call.command({ command: { kind: 'machine_detected', answered_by: verdict } } as CallCommand);
  });
  const left = () => stage.of('notice').filter(({ code }) => code === 'voicemail_message').length;
  const poll = () => {
    if (left() > messages.length) messages.push(stage.clock.monotonic());
    if (!stage.over) stage.clock.schedule(20, poll);
  };
  poll();
  await playPhone(stage, rendered, WATCHED_MS);
  const began = messages.at(-1) ?? 0;
  const { beepEndsAtMs } = rendered;
  return {
    stage,
    endedAsVoicemail: stage.of('ended')[0]?.end_reason === 'voicemail',
    tookForMachine: stage.of('notice').some(({ code }) => code === 'answering_machine'),
    beeped: beepEndsAtMs !== undefined,
    messageAfterBeep: beepEndsAtMs !== undefined && began >= beepEndsAtMs,
  };
}
