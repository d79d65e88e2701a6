/**
 * Option of Node for the control plane and the store: V8 takes the space for young objects of a process that does little
 * back to 1 MB, and then collects it every other second with four helper threads. With 4 MB it does so four times less.
 */
export const YOUNG_SPACE = '--min-semi-space-size=4';
