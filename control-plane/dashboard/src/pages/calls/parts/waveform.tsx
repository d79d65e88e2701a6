import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { dataOf } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import type { CallDetail } from '../../../api/types.js';
import { clock } from '../../../format/time.js';
import { Button } from '../../../ui/button.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { rem } from '../../../ui/rem.js';
import { Skeleton } from '../../../ui/skeleton.js';

/** In rem. */
const CHANNEL_HEIGHT = 2.75;
const SPEEDS = [1, 1.5, 2] as const;

interface WaveformProps {
  readonly call: CallDetail;
  /** Where the recording plays, in ms. */
  readonly onPosition: (ms: number) => void;
  /** Plays from there, each time a new one is given. */
  readonly seek: { readonly toMs: number } | null;
}

/** The recording: the caller above, the agent below, in step with the transcript. */
export default function Waveform({ call, onPosition, seek }: WaveformProps): ReactNode {
  const { mode, api } = useApi();
  const recording = useQuery({
    queryKey: [mode, 'calls', call.id, 'recording'],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/calls/{call_id}/recording', {
          params: { path: { call_id: call.id } },
          headers: { accept: 'audio/mpeg' },
          parseAs: 'blob',
          signal,
        }),
      ),
  });
  if (recording.isPending) return <Skeleton className="h-40" />;
  if (recording.isLoadingError) {
    return (
      <ErrorState
        title="The recording could not be loaded"
        error={recording.error}
        onRetry={() => void recording.refetch()}
      />
    );
  }
  return <Player audio={recording.data as unknown as Blob} onPosition={onPosition} seek={seek} />;
}

function Player({
  audio,
  onPosition,
  seek,
}: Omit<WaveformProps, 'call'> & { readonly audio: Blob }): ReactNode {
  const container = useRef<HTMLDivElement>(null);
  const surfer = useRef<WaveSurfer | null>(null);
  const report = useRef(onPosition);
  report.current = onPosition;
  const [unreadable, setUnreadable] = useState(false);
  const [playing, setPlaying] = useState(false);
  const [seconds, setSeconds] = useState({ at: 0, of: 0 });
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>(1);

  useEffect(() => {
    if (container.current === null) return;
    const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const made = WaveSurfer.create({
      container: container.current,
      height: CHANNEL_HEIGHT * rem(),
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      cursorColor: color('--text'),
      splitChannels: [
        { waveColor: color('--line-strong'), progressColor: color('--caller') },
        { waveColor: color('--line-strong'), progressColor: color('--agent') },
      ],
    });
    styleShadow(made);
    surfer.current = made;
    setUnreadable(false);
    made.on('ready', (of) => setSeconds({ at: 0, of }));
    made.on('timeupdate', (at) => {
      setSeconds(({ of }) => ({ at, of }));
      report.current(at * 1000);
    });
    made.on('play', () => setPlaying(true));
    made.on('pause', () => setPlaying(false));
    // What is left while it is read fails as well.
    made.on('error', () => surfer.current === made && setUnreadable(true));
    made.loadBlob(audio).catch(() => {});
    return () => {
      surfer.current = null;
      made.destroy();
    };
  }, [audio]);

  useEffect(() => {
    if (seek === null || surfer.current === null) return;
    surfer.current.setTime(seek.toMs / 1000);
    // A pause that comes before the sound makes it fail.
    surfer.current.play().catch(() => {});
  }, [seek]);

  return (
    <Card className="overflow-hidden">
      {unreadable && (
        <p role="alert" className="border-b border-line bg-bad-soft px-4 py-2 text-bad">
          This browser cannot read the recording; the file may be damaged.
        </p>
      )}
      <div className="flex items-center gap-3 p-3">
        <Button
          variant="primary"
          size="icon"
          aria-label={playing ? 'Pause the recording' : 'Play the recording'}
          onClick={() => surfer.current?.playPause().catch(() => {})}
        >
          {playing ? <Pause aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
        </Button>
        <div className="flex h-22 shrink-0 flex-col justify-around text-xs font-medium">
          <span className="text-caller">Caller</span>
          <span className="text-agent">Agent</span>
        </div>
        <div ref={container} className="min-w-0 flex-1" />
        <div className="flex shrink-0 flex-col items-end gap-1 text-xs text-muted tabular-nums">
          <span>
            {clock(seconds.at * 1000)} / {clock(seconds.of * 1000)}
          </span>
          <Button
            size="small"
            aria-label={`Speed ${speed}`}
            onClick={() => {
              const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1;
              surfer.current?.setPlaybackRate(next);
              setSpeed(next);
            }}
          >
            {speed}×
          </Button>
        </div>
      </div>
    </Card>
  );
}

/** A <style> in its shadow would be refused by the Content-Security-Policy: the build has made a <template> of it. */
function styleShadow(surfer: WaveSurfer): void {
  const shadow = surfer.getWrapper().getRootNode();
  if (!(shadow instanceof ShadowRoot)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(shadow.querySelector('template')?.content.textContent ?? '');
  shadow.adoptedStyleSheets = [sheet];
}
