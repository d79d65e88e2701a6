import { Mic, MicOff, PhoneOff } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { median, qualityText } from '../../../assets/talk/figures.js';
import { endText } from '../../../assets/talk/messages.js';
import { clock, latency } from '../format/time.js';
import { Button } from '../ui/button.js';
import { classes } from '../ui/classes.js';
import { LiveTranscript } from './live-transcript.js';
import { type Phase, Talk, type TalkState } from './talk.js';

const STATUS: Readonly<Record<Phase, string>> = {
  idle: 'Ready',
  asking: 'Allow the microphone …',
  waiting: 'Trying again in a moment …',
  connecting: 'Connecting …',
  live: 'Connected',
  reconnecting: 'The connection was lost, coming back …',
  ended: 'The call is over',
  failed: 'That did not work',
};
const ACTIVITY = { listening: 'Listening', thinking: 'Thinking …', speaking: 'Speaking' } as const;
const BUSY: readonly Phase[] = ['asking', 'waiting', 'connecting', 'live', 'reconnecting'];

interface TalkPanelProps {
  readonly agentId: string;
  readonly agentName: string;
  /** Talks at once: who came here pressed a button that said so. */
  readonly autoStart?: boolean;
}

/** Talks to an agent from the browser: who says what as it is said, and what each answer waited for. */
export function TalkPanel({ agentId, agentName, autoStart = false }: TalkPanelProps): ReactNode {
  const [talk] = useState(() => new Talk());
  const state = useSyncExternalStore(talk.subscribe, talk.state);
  useEffect(() => () => talk.close(), [talk]);
  const started = useRef(false);
  useEffect(() => {
    if (!autoStart || started.current) return;
    started.current = true;
    void talk.start(agentId);
  }, [autoStart, talk, agentId]);
  const busy = BUSY.includes(state.phase);
  return (
    <div className="flex h-full min-h-96 flex-col">
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <Level talk={talk} state={state} />
        <div className="min-w-40 flex-1">
          <p role="status" className="font-semibold">
            {statusOf(state)}
          </p>
          <Figures state={state} />
        </div>
        {busy ? (
          <>
            {state.liveSince !== null && (
              <Button aria-pressed={state.muted} onClick={() => talk.mute(!state.muted)}>
                {state.muted ? (
                  <MicOff aria-hidden className="size-4" />
                ) : (
                  <Mic aria-hidden className="size-4" />
                )}
                {state.muted ? 'Unmute' : 'Mute'}
              </Button>
            )}
            <Button variant="danger" onClick={() => talk.hangUp()}>
              <PhoneOff aria-hidden className="size-4" /> Hang up
            </Button>
          </>
        ) : (
          <Button needs="testAgentByWebRtc" variant="primary" onClick={() => void talk.start(agentId)}>
            <Mic aria-hidden className="size-4" /> {state.phase === 'idle' ? 'Talk' : 'Talk again'}
          </Button>
        )}
      </div>
      {state.problem !== null && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2.5">
          <strong>{state.problem.title}.</strong> {state.problem.text}
        </p>
      )}
      <LiveTranscript
        lines={state.conversation.lines}
        agentName={agentName}
        callerName="You"
        empty="What you and the agent say appears here as it is said, with the time that each answer took."
      />
      {state.conversation.ended !== null && (
        <p className="border-t border-line px-4 py-2.5 text-muted">{endText(state.conversation.ended)}</p>
      )}
    </div>
  );
}

function statusOf({ phase, muted, conversation }: TalkState): string {
  if (phase !== 'live') return STATUS[phase];
  if (muted) return 'Muted';
  return conversation.activity === null ? STATUS.live : ACTIVITY[conversation.activity];
}

function Figures({ state }: { readonly state: TalkState }): ReactNode {
  const [now, setNow] = useState(() => performance.now());
  const running = state.liveSince !== null && BUSY.includes(state.phase);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  if (state.liveSince === null) {
    return <p className="text-xs text-muted">Over your microphone, in the sandbox: it costs nothing.</p>;
  }
  const middle = median(state.conversation.latencies);
  return (
    <p className="text-xs text-muted tabular-nums">
      {clock(Math.max(0, now - state.liveSince))}
      {middle !== null && ` · answers after ${latency(middle)} (median)`}
      {state.statistics !== null && ` · ${qualityText(state.statistics)}`}
    </p>
  );
}

/** A ring that grows with the agent's voice. */
function Level({ talk, state }: { readonly talk: Talk; readonly state: TalkState }): ReactNode {
  const ring = useRef<HTMLSpanElement>(null);
  const live = state.phase === 'live';
  useEffect(
    () =>
      talk.followLevel((level) =>
        ring.current?.style.setProperty('transform', `scale(${0.55 + level * 0.45})`),
      ),
    [talk],
  );
  return (
    <span aria-hidden className="relative flex size-9 shrink-0 items-center justify-center">
      <span
        ref={ring}
        className={classes(
          'absolute inset-0 transform-[scale(0.55)] rounded-full will-change-transform',
          live ? 'bg-accent' : 'bg-line-strong',
        )}
      />
    </span>
  );
}
