/** The part of the package that we use; it ships no types (libfvad's C interface, compiled by Emscripten). */
declare module '@echogarden/fvad-wasm' {
  export interface FvadModule {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _fvad_new(): number;
    _fvad_free(handle: number): void;
    /** 0 (permissive) to 3 (very aggressive). */
    _fvad_set_mode(handle: number, mode: number): number;
    _fvad_set_sample_rate(handle: number, hz: number): number;
    /** 1 voice, 0 none, -1 for a frame that is not 10, 20 or 30 ms. */
    _fvad_process(handle: number, samplesPointer: number, length: number): number;
  }
  export default function loadFvad(): Promise<FvadModule>;
}
