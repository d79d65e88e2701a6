/** A store that the program cannot go on with as it is; the message says what an operator does about it. */
export class UnfitStoreError extends Error {
  override readonly name = 'UnfitStoreError';
}
