/**
 * The inner loop of sample-rate conversion in WebAssembly: its SIMD instructions take some 40 times less than the
 * same loop in JavaScript. One memory for all streams of the process: the filters' coefficients, then room for one
 * stream's input and output at a time.
 */

/** `resample-kernel.wat`, assembled; after a change `resample-kernel.test.ts` prints what belongs here. */
export const KERNEL_BASE64 =
  'AGFzbQEAAAABDAFgCH9/f39/f39/AAMCAQAFAwEAAQcUAgZtZW1vcnkCAAdjb252ZXJ0AAAK/gEB+wECBX8CeyACQQJ0IQgg' +
  'BiAHQQF0aiEMAkADQCAGIAxPDQEgACEJIAEgBSAIbGohCiAKIAhqIQv9DAAAAAAAAAAAAAAAAAAAAAAhDf0MAAAAAAAAAAAA' +
  'AAAAAAAAACEOA0AgDSAJ/QAEACAK/QAEAP3mAf3kASENIA4gCf0ABBAgCv0ABBD95gH95AEhDiAJQSBqIQkgCkEgaiIKIAtJ' +
  'DQALIA0gDv3kASENIAZDAAAAx0MA/v9GIA39HwAgDf0fAZIgDf0fAiAN/R8DkpKWl5D8ADsBACAGQQJqIQYgBSAEaiEFIAAg' +
  'BSADbkECdGohACAFIANwIQUMAAsLCw==';

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  convert(
    input: number,
    coefficients: number,
    taps: number,
    up: number,
    down: number,
    phase: number,
    output: number,
    count: number,
  ): void;
}

/** A filter whose coefficients lie in the kernel's memory. `to / from` in lowest terms is `up / down`. */
export interface KernelFilter {
  readonly up: number;
  readonly down: number;
  /** Coefficients a phase; a multiple of eight. */
  readonly taps: number;
  /** Address of `up` rows of `taps` coefficients. */
  readonly address: number;
}

const PAGE_BYTES = 65_536;

const kernel = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64')))
  .exports as unknown as KernelExports;
/** Where the coefficients end and the room for one conversion begins. */
let roomAt = 0;

/** Keeps a filter's coefficients for the rest of the process: `up` rows of `taps`, each in the order of the input. */
export function placeFilter(shape: Omit<KernelFilter, 'address'>, coefficients: Float32Array): KernelFilter {
  const address = roomAt;
  reserve(address + coefficients.byteLength);
  new Float32Array(kernel.memory.buffer, address, coefficients.length).set(coefficients);
  roomAt = address + coefficients.byteLength;
  return { ...shape, address };
}

/**
 * Converts `count` outputs, the first of them at `phase` of the input's first sample. The input must reach as far
 * as the last output's `taps`. The result is new memory.
 */
export function convert(input: Float32Array, filter: KernelFilter, phase: number, count: number): Int16Array {
  const { up, down, taps, address } = filter;
  const outputAt = roomAt + input.byteLength;
  reserve(outputAt + count * 2);
  const { buffer } = kernel.memory;
  new Float32Array(buffer, roomAt, input.length).set(input);
  kernel.convert(roomAt, address, taps, up, down, phase, outputAt, count);
  return new Int16Array(buffer, outputAt, count).slice();
}

function reserve(bytes: number): void {
  const missing = bytes - kernel.memory.buffer.byteLength;
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
}
