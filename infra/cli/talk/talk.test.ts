import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEAD_MS, Playback } from './playback.js';
import { findSoundPrograms, startSoundProgram, TALK_BYTES_PER_MS } from './sound-programs.js';
import { TalkNarration } from './talk-narration.js';
import { Terminal } from './terminal.js';

describe('the programs of microphone and speaker', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voice-talk-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const install = (name: string, script = 'exit 0') => {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  };

  it('are ALSA’s, else SoX’s, else none', () => {
    const found = () => findSoundPrograms(`/nowhere:${directory}`)?.record.command;
    expect(found()).toBeUndefined();
    install('rec');
    expect(found()).toBeUndefined();
    install('play');
    expect(found()).toBe('rec');
    install('arecord');
    install('aplay');
    expect(found()).toBe('arecord');
  });

  it('say what is wrong when they fail', async () => {
    install('arecord', 'echo "audio open error: No such device" >&2; exit 1');
    const message = await new Promise<string>((resolve) => {
      startSoundProgram({ command: join(directory, 'arecord'), args: [] }, resolve);
    });
    expect(message).toContain('No such device');
  });
});

describe('the playback of the agent', () => {
  const clock = new ScriptedClock();
  const pcm = (ms: number, byte = 1) => Buffer.alloc(ms * TALK_BYTES_PER_MS, byte);
  function start() {
    const written: Buffer[] = [];
    const marks: string[] = [];
    const playback = new Playback({
      clock,
      write: (chunk) => written.push(chunk),
      onMark: (name) => marks.push(name),
    });
    const loudMs = () => Buffer.concat(written).filter((byte) => byte !== 0).length / TALK_BYTES_PER_MS;
    return { playback, written, marks, loudMs };
  }

  it('feeds the speaker in real time, a little ahead, with silence where nothing is said', () => {
    const { playback, written, loudMs } = start();
    playback.add(pcm(60));
    clock.advance(1000);
    expect(Buffer.concat(written).length / TALK_BYTES_PER_MS).toBe(1000 + LEAD_MS);
    expect(loudMs()).toBe(60);
    playback.close();
    clock.advance(1000);
    expect(Buffer.concat(written).length / TALK_BYTES_PER_MS).toBe(1000 + LEAD_MS);
  });

  it('reports a mark when the audio before it has been played', () => {
    const { playback, marks } = start();
    playback.add(pcm(400));
    playback.mark('turn-1');
    clock.advance(380);
    expect(marks).toEqual([]);
    clock.advance(LEAD_MS + 20);
    expect(marks).toEqual(['turn-1']);
    playback.close();
  });

  it('drops what waits upon an interruption, and reports its marks at once', () => {
    const { playback, marks, loudMs } = start();
    playback.add(pcm(5000));
    playback.mark('turn-1');
    clock.advance(200);
    playback.clear();
    expect(marks).toEqual(['turn-1']);
    expect(playback.isAudible).toBe(false);
    clock.advance(1000);
    expect(loudMs()).toBeLessThanOrEqual(200 + LEAD_MS);
    playback.close();
  });
});

describe('what the terminal shows of a session', () => {
  const turn = {
    index: 0,
    role: 'caller' as const,
    text: 'Hello.',
    heard_text: 'Hello.',
    interrupted: false,
    started_at_ms: 0,
    ended_at_ms: 500,
    confidence: 0.9,
  };
  const metrics = {
    turn: 1,
    end_of_turn_delay_ms: null,
    stt_final_ms: null,
    llm_first_token_ms: null,
    tts_first_audio_ms: null,
    barge_in_latency_ms: null,
    preempted: false,
  };

  it('is turns and latencies as lines, texts and states in passing', () => {
    const narration = new TalkNarration();
    expect(narration.show({ type: 'state', state: 'thinking', at_ms: 1 })).toEqual({
      text: '(thinking …)',
      passing: true,
    });
    expect(
      narration.show({ type: 'transcript', role: 'caller', text: 'Hel', final: false, at_ms: 1 }),
    ).toEqual({
      text: 'you     Hel …',
      passing: true,
    });
    expect(narration.show({ type: 'turn', turn })).toEqual({ text: 'you     Hello.', passing: false });
    for (const response_latency_ms of [600, 900, null]) {
      narration.show({ type: 'metrics', metrics: { ...metrics, response_latency_ms } });
    }
    expect(narration.latency).toBe('Response latency: p50 600 ms, p95 900 ms over 2 answers');
  });

  it('writes passing lines over, and leaves them out where that cannot be', () => {
    const shown = (rewrites: boolean) => {
      let text = '';
      const terminal = new Terminal({ write: (more) => (text += more), rewrites, columns: 10 });
      terminal.show({ text: 'you  Hello there', passing: true });
      terminal.say('you  Hello there');
      return text;
    };
    expect(shown(true)).toBe('\r\x1b[K…lo there\r\x1b[Kyou  Hello there\n');
    expect(shown(false)).toBe('you  Hello there\n');
  });
});
