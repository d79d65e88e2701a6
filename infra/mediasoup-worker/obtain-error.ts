/** Mediasoup's worker cannot be had: what is wrong and what to do about it. */
export class ObtainError extends Error {
  constructor(problem: string, remedy: string) {
    super(`${problem} ${remedy}`);
    this.name = 'ObtainError';
  }
}
