/** The part of the package that we use; it ships no types (libfvad's C interface, compiled by Emscripten). */
declare module '@echogarden/fvad-wasm' {
  export interface FvadModule {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** A detector's handle; 0 when memory is short. */
    _fvad_new(): number;
    _fvad_free(handle: number): void;
    /** 0 (quality) to 3 (very aggressive in calling noise silence). 0 on success. */
    _fvad_set_mode(handle: number, mode: number): number;
    /** 0 on success. */
    _fvad_set_sample_rate(handle: number, hz: number): number;
    /** 10, 20 or 30 ms. 1 speech, 0 none, -1 wrong length. */
    _fvad_process(handle: number, samplesPointer: number, length: number): number;
  }

  export default function loadFvad(): Promise<FvadModule>;
}
