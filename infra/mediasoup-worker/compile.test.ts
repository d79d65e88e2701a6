import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEDIASOUP_VERSION } from '@voice/shared/mediasoup-worker/location';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compile } from './compile.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediasoup-compile-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that a build calls, in a folder that comes first in its path. */
function plant(name: string, script: string): string {
  const path = join(folder, 'programs', name);
  mkdirSync(join(folder, 'programs'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

describe('compiling mediasoup’s worker', () => {
  it('makes the headers of its schemas before anything that may include them is compiled', async () => {
    const packageFolder = join(folder, 'mediasoup');
    mkdirSync(join(packageFolder, 'worker/src/RTC'), { recursive: true });
    mkdirSync(join(packageFolder, 'worker/subprojects'));
    writeFileSync(join(packageFolder, 'package.json'), JSON.stringify({ version: MEDIASOUP_VERSION }));
    writeFileSync(
      join(packageFolder, 'worker/src/RTC/DtlsTransport.cpp'),
      '(operationType == BIO_CB_RETURN)',
    );
    const meson = plant('meson', 'exit 0');
    // Mediasoup's build files name no order between the two: what is compiled may be compiled first.
    plant(
      'ninja',
      `for target; do :; done
mkdir -p "$2/fbs/FBS" && cd "$2" || exit 1
case $target in
  fbs/*) echo '#pragma once' > "$target" ;;
  *) cat fbs/FBS/notification.h > "$target" ;;
esac`,
    );
    plant('strip', 'cp "$3" "$2"');
    const work = join(folder, 'work');
    mkdirSync(work);
    const subprojects = join(folder, 'subprojects');
    cpSync(join(import.meta.dirname, 'subprojects'), subprojects, { recursive: true });

    const binary = await compile({
      packageFolder,
      subprojects,
      folder: work,
      meson: { program: meson, args: [], env: { PATH: `${join(folder, 'programs')}:${process.env.PATH}` } },
      jobs: 2,
      signal: new AbortController().signal,
      onProgress: () => {},
    });

    expect(readFileSync(binary, 'utf8')).toBe('#pragma once\n');
  });
});
