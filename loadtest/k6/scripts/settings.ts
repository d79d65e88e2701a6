import type { Settings } from '../settings-contract.ts';

export const settings: Settings = JSON.parse(open(__ENV.LOAD_SETTINGS ?? ''));
