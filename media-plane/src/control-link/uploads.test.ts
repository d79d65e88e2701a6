import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waveformPath } from '../recording/encode-recording.js';
import { ControlPlaneClient } from './control-plane-client.js';
import { ScriptedControlPlane, secret } from './testing/scripted-control-plane.js';
import { Uploads } from './uploads.js';

/** Stands for the encoder. */
const copied = (durationMs: number) => async (rawPath: string, mp3Path: string) => {
  writeFileSync(mp3Path, `mp3 of ${readFileSync(rawPath, 'utf8')}`);
  return { durationMs, bytes: 1 };
};

describe('the uploads', () => {
  let controlPlane: ScriptedControlPlane;
  let client: ControlPlaneClient;
  let dir: string;
  beforeEach(async () => {
    controlPlane = new ScriptedControlPlane();
    client = new ControlPlaneClient({ baseUrls: [await controlPlane.listen()], secret, clock: systemClock });
    dir = mkdtempSync(join(tmpdir(), 'uploads-'));
  });
  afterEach(() => {
    controlPlane.close();
    rmSync(dir, { recursive: true });
  });

  it('uploads a recording with its length, and a decision log, and removes both', async () => {
    let failures = 1;
    controlPlane.answer = () => ({ status: failures-- > 0 ? 500 : 204 });
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(1234.4),
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.recordingEnded(call, Promise.resolve());
    uploads.decisionLogEnded(call, Promise.resolve());
    await expect.poll(() => uploads.pendingCount).toBe(0);
    expect(readdirSync(join(dir, 'ready'))).toEqual([]);
    const recording = controlPlane.received.filter(({ path }) => path.endsWith('/recording')).at(-1);
    expect(recording?.path).toBe(`/internal/calls/${call}/recording`);
    expect(recording?.headers['x-duration-ms']).toBe('1234');
    expect(recording?.headers['content-type']).toBe('audio/mpeg');
    expect(recording?.body.toString()).toBe('mp3 of raw');
    expect(readdirSync(join(dir, 'recordings', 'waiting'))).toEqual([]);
    expect(controlPlane.received.some(({ path }) => path === `/internal/calls/${call}/decision-log`)).toBe(
      true,
    );
    uploads.stop();
  });

  it('uploads what was measured in a recording, too', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const encodeRecording = async (rawPath: string, mp3Path: string) => {
      writeFileSync(waveformPath(mp3Path), '{"responses":[],"barge_ins":[]}');
      return copied(10)(rawPath, mp3Path);
    };
    const uploads = new Uploads({ dir, client, clock: systemClock, log: silentLog, encodeRecording });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    uploads.recordingEnded(call, Promise.resolve());
    await expect.poll(() => controlPlane.received).toHaveLength(2);
    const waveform = controlPlane.received.find(({ path }) => path === `/internal/calls/${call}/waveform`);
    expect(waveform?.headers['content-type']).toBe('application/json');
    expect(waveform?.body.toString()).toBe('{"responses":[],"barge_ins":[]}');
    await expect.poll(() => readdirSync(join(dir, 'ready'))).toEqual([]);
    expect(readdirSync(join(dir, 'recordings', 'waiting'))).toEqual([]);
    uploads.stop();
  });

  it('bears a decision log that was never made, as on a full disk', async () => {
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(0),
    });
    uploads.decisionLogEnded(newId(), Promise.resolve());
    await uploads.flush(AbortSignal.timeout(240_000));
    expect(uploads.pendingCount).toBe(0);
    uploads.stop();
  });

  it('uploads what a killed predecessor had recorded so far', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const options = {
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(4),
    };
    const call = newId();
    writeFileSync(new Uploads(options).recordingPath(call), 'half');
    // Killed while it encoded another.
    const other = newId();
    writeFileSync(join(dir, 'recordings', 'waiting', `${other}.recording`), 'whole');
    writeFileSync(join(dir, 'recordings', 'waiting', `${other}.mp3.part`), 'a part');
    const successor = new Uploads(options);
    successor.start();
    await expect.poll(() => controlPlane.received).toHaveLength(2);
    expect(controlPlane.received[0]?.headers['x-duration-ms']).toBe('4');
    const bodies = controlPlane.received.map(({ body }) => body.toString());
    expect(bodies.sort()).toEqual(['mp3 of half', 'mp3 of whole']);
    successor.stop();
  });

  it('makes and uploads nothing twice of which a killed predecessor had removed nothing yet', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    new Uploads(options).stop();
    const call = newId();
    writeFileSync(join(dir, 'recordings', 'waiting', `${call}.recording`), 'whole');
    writeFileSync(join(dir, 'ready', `${call}.4.mp3`), 'mp3 of whole');
    const successor = new Uploads(options);
    expect(successor.pendingCalls()).toEqual([call]);
    successor.start();
    await successor.flush(AbortSignal.timeout(240_000));
    expect(controlPlane.received.map(({ path }) => path)).toEqual([`/internal/calls/${call}/recording`]);
    expect(successor.pendingCount).toBe(0);
    successor.stop();
  });

  it.each([
    ['whose secret or clock differs', { status: 401, body: { code: 'invalid_signature' } }],
    ['that has no such route at this address', { status: 404, body: { code: 'not_found' } }],
    ['behind a proxy that takes no such body', { status: 413, body: '<html>' }],
    ['behind a proxy that lets nobody in', { status: 403 }],
    ['behind a proxy that does not know the way', { status: 404, body: '<html>' }],
  ])('keeps an upload for a control plane %s, which the operator can mend', async (_which, refusal) => {
    let refusals = 1;
    controlPlane.answer = () => (refusals-- > 0 ? refusal : { status: 204 });
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    const uploads = new Uploads(options);
    const call = newId();
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.decisionLogEnded(call, Promise.resolve());
    await expect.poll(() => controlPlane.received).toHaveLength(2);
    await expect.poll(() => readdirSync(join(dir, 'ready'))).toEqual([]);
    uploads.stop();
  });

  it('uploads a new file at once while one that a proxy refuses waits for its next try', async () => {
    const [refused, next] = [newId(), newId()];
    controlPlane.answer = (path) => ({ status: path.includes(refused) ? 413 : 204 });
    const clock = new ScriptedClock();
    const uploads = new Uploads({ dir, client, clock, log: silentLog, encodeRecording: copied(4) });
    const paths = () => {
      clock.advance(0);
      return controlPlane.received.map(({ path }) => path.split('/')[3]);
    };
    for (const call of [refused, next]) {
      writeFileSync(uploads.decisionLogPath(call), '{}\n');
      uploads.decisionLogEnded(call, Promise.resolve());
      await expect.poll(() => paths().includes(call)).toBe(true);
      // Its next try is scheduled.
      await expect.poll(() => clock.pending).toBe(1);
    }
    expect(paths()).toEqual([refused, next]);
    uploads.stop();
  });

  it.each([
    ['of a call that it does not know', { status: 404, body: { code: 'call_not_found' } }],
    ['that is too large for it', { status: 413, body: { code: 'payload_too_large' } }],
  ])('gives up an upload %s, which the control plane refuses for good', async (_which, refusal) => {
    controlPlane.answer = () => refusal;
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(0),
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    uploads.recordingEnded(call, Promise.resolve());
    await expect.poll(() => controlPlane.received).toHaveLength(1);
    await expect.poll(() => readdirSync(join(dir, 'ready'))).toEqual([]);
    uploads.stop();
  });

  it('gives up a file that somebody has removed', async () => {
    controlPlane.answer = () => ({ status: 503 });
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    const uploads = new Uploads(options);
    const call = newId();
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.decisionLogEnded(call, Promise.resolve());
    await expect.poll(() => controlPlane.received).toHaveLength(1);
    rmSync(join(dir, 'ready', `${call}.decisions.ndjson`));
    await expect.poll(() => uploads.pendingCount).toBe(0);
    uploads.stop();
  });

  it.each([500, 503])('goes on with the others when the control plane answers %i to some', async (status) => {
    const calls = Array.from({ length: 50 }, () => newId());
    const bad = new Set([calls[0], calls[7]]);
    controlPlane.answer = (path) => ({ status: [...bad].some((id) => path.includes(id!)) ? status : 204 });
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    const uploads = new Uploads(options);
    for (const call of calls) {
      writeFileSync(uploads.recordingPath(call), 'raw');
      uploads.recordingEnded(call, Promise.resolve());
    }
    await expect.poll(() => uploads.pendingCalls().sort()).toEqual([...bad].sort());
    bad.clear();
    await uploads.flush(AbortSignal.timeout(240_000));
    expect(uploads.pendingCount).toBe(0);
    uploads.stop();
  });

  it('gives a large upload the time that it takes on a slow link', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const send = vi.spyOn(client, 'send');
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    const uploads = new Uploads(options);
    const call = newId();
    writeFileSync(uploads.decisionLogPath(call), Buffer.alloc(1_250_000, '\n'));
    uploads.decisionLogEnded(call, Promise.resolve());
    await expect.poll(() => uploads.pendingCount).toBe(0);
    expect(send.mock.calls.map(([{ timeoutMs }]) => timeoutMs)).toEqual([70_000]);
    uploads.stop();
  });

  it('flushes what is still being written, encoded and uploaded, and says how much is left', async () => {
    controlPlane.answer = () => ({ status: 204 });
    let encode = () => {};
    const encodeRecording = async (rawPath: string, mp3Path: string) => {
      await new Promise<void>((resolve) => {
        encode = resolve;
      });
      return copied(4)(rawPath, mp3Path);
    };
    const uploads = new Uploads({ dir, client, clock: systemClock, log: silentLog, encodeRecording });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    let written = () => {};
    const closed = new Promise<void>((resolve) => {
      written = resolve;
    });
    uploads.recordingEnded(call, closed);
    uploads.decisionLogEnded(call, closed);
    expect(uploads.pendingCount).toBe(3);
    const flushed = uploads.flush(AbortSignal.timeout(240_000));
    written();
    await expect.poll(() => controlPlane.received).toHaveLength(1);
    await expect.poll(() => uploads.pendingCount).toBe(2);
    encode();
    await flushed;
    expect(controlPlane.received).toHaveLength(2);
    expect(uploads.pendingCount).toBe(0);
    uploads.stop();
  });
});
