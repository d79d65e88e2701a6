const MAX = 32_767;
const MIN = -32_768;

/** Adds `addition` to `target` sample by sample; what is too loud is clipped, not wrapped around. */
export function mixInto(target: Int16Array, addition: Int16Array): Int16Array {
  const length = Math.min(target.length, addition.length);
  for (let i = 0; i < length; i++) {
    target[i] = Math.max(MIN, Math.min(MAX, target[i]! + addition[i]!));
  }
  return target;
}
