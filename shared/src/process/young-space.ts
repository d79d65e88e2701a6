/**
 * Option of Node for the control plane and the store: V8 takes the space for young objects of a process that does little
 * back to 1 MB, and then collects it every other second with four helper threads. With 4 MB it does so four times less.
 */
export const YOUNG_SPACE = '--min-semi-space-size=4';

/**
 * Returns the options of Node with which a process starts, however it is started. They stand in every command that does:
 * Node takes none of them from NODE_OPTIONS, and V8 none once it runs.
 */
export function nodeOptionsOf(
  role: 'store' | 'carrier' | 'control-plane' | 'worker',
): readonly (typeof YOUNG_SPACE)[] {
  return role === 'control-plane' || role === 'store' ? [YOUNG_SPACE] : [];
}
