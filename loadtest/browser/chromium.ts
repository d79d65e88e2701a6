import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from '@voice/shared/chromium/environment';
import { type BrowserContext, chromium } from 'playwright-core';

const EXECUTABLE = chromiumPath(process.env);

/** Of V8: pages live for seconds, and what would optimise their code takes more of the processor than it saves. */
const SHORT_LIVED = '--no-opt --single-threaded-gc --min-semi-space-size=16';

/** Gives the reason why no browser can be used here; null where one can. */
export function browserLack(): string | null {
  return existsSync(EXECUTABLE)
    ? null
    : `there is no ${EXECUTABLE} (npm run chromium as root, or set CHROMIUM)`;
}

export interface Chromium {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** What a page is waited for, and the browser itself, on a machine that others keep busy, in ms. */
const PATIENCE_MS = 90_000;

/** Gives a browser with a profile of its own whose microphone plays the samples once, then is silent. */
export async function launchChromium(microphone: {
  samples: Int16Array;
  sampleRate: number;
}): Promise<Chromium> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-chromium-'));
  const file = join(folder, 'microphone.wav');
  writeFileSync(file, wav(microphone));
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: EXECUTABLE,
    headless: true,
    timeout: PATIENCE_MS,
    viewport: { width: 1280, height: 800 },
    // What moves is painted over and over, which takes a third of a page's processor time.
    reducedMotion: 'reduce',
    permissions: ['microphone'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--js-flags=${SHORT_LIVED}`,
      '--no-first-run',
      '--autoplay-policy=no-user-gesture-required',
      '--allow-loopback-in-peer-connection',
      '--disable-features=WebRtcHideLocalIpsWithMdns',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}%noloop`,
    ],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return {
    context,
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes 16-bit mono RIFF. */
function wav({ samples, sampleRate }: { samples: Int16Array; sampleRate: number }): Buffer {
  const header = Buffer.alloc(44);
  const bytes = samples.length * 2;
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, bytes)]);
}
