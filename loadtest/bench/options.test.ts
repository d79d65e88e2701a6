import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';
import { MULAW_CASCADE } from './subject.js';

describe('the bench’s options', () => {
  it('measure the mu-law cascade with 1 and 50 calls when nothing is said', () => {
    expect(readOptions([])).toMatchObject({ subjects: [MULAW_CASCADE], calls: [1, 50], seconds: 60 });
  });

  it('measure another pipeline or line beside it, in the same run', () => {
    const realtime = readOptions(['--pipeline', 'realtime']);
    expect(realtime?.subjects).toEqual([MULAW_CASCADE, { line: 'mulaw', pipeline: 'openai' }]);
    expect(realtime?.calls).toEqual([1, 50]);
    const both = readOptions(['--line', 'webrtc', '--pipeline', 'realtime', '--provider', 'gemini']);
    expect(both?.subjects).toEqual([MULAW_CASCADE, { line: 'webrtc', pipeline: 'gemini' }]);
  });

  it('measure fewer calls over WebRTC, unless their number is said', () => {
    expect(readOptions(['--line', 'webrtc'])?.calls).toEqual([1, 10]);
    expect(readOptions(['--line', 'webrtc', '--calls', '3'])?.calls).toEqual([3]);
  });

  it('have answers begun early measured beside the calls only where nothing is said', () => {
    expect(readOptions([])?.isUsual).toBe(true);
    expect(readOptions(['--calls', '50', '--seconds', '20'])?.isUsual).toBe(false);
  });

  it('say which value is wrong', () => {
    expect(() => readOptions(['--line', 'isdn'])).toThrow("--line: expected phone or webrtc, got 'isdn'");
    expect(() => readOptions(['--calls', '0'])).toThrow(
      "--calls: expected a whole number from 1 to 2000, got '0'",
    );
  });
});
