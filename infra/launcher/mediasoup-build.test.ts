import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { locateWorker } from '@voice/shared/mediasoup-worker/location';
import { afterEach, describe, expect, it } from 'vitest';
import { startMediasoupBuild } from './mediasoup-build.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function scene(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mediasoup-build-'));
  folders.push(folder);
  const entry = join(folder, 'main.js');
  writeFileSync(entry, script);
  return { entry, env: { PATH: process.env.PATH, XDG_CACHE_HOME: join(folder, 'cache') } };
}

describe('the background build of mediasoup’s worker', () => {
  it('says how it goes, and ends when the system stops', async () => {
    const { entry, env } = scene(`
      process.once('SIGTERM', () => { console.log('WebRTC: stopped'); process.exit(0); });
      console.log('WebRTC: building');
      setInterval(() => {}, 1000);`);
    const lines: string[] = [];
    let build: ReturnType<typeof startMediasoupBuild>;
    await new Promise<void>((begun) => {
      build = startMediasoupBuild({
        entry,
        env,
        onLine: (line) => {
          lines.push(line);
          begun();
        },
      });
    });
    await build!.stop();
    expect(lines).toEqual(['WebRTC: building', 'WebRTC: stopped']);
  });

  it('is not started where the worker is in the cache, or the operator has one', () => {
    const { entry, env } = scene('process.exit(1)');
    const onLine = () => expect.unreachable();
    expect(
      startMediasoupBuild({ entry, env: { ...env, MEDIASOUP_WORKER_BIN: '/opt/worker' }, onLine }),
    ).toBeUndefined();
    const { binary } = locateWorker({ cacheHome: env.XDG_CACHE_HOME, home: homedir(), arch: process.arch });
    mkdirSync(dirname(binary), { recursive: true });
    writeFileSync(binary, '');
    chmodSync(binary, 0o755);
    expect(startMediasoupBuild({ entry, env, onLine })).toBeUndefined();
  });
});
