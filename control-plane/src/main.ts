import { currentBundle } from '@voice/shared/process/bundle';

// Three thousand files take Node half a second of the processor: where all of them are in one, that one runs.
const bundle = currentBundle('control-plane');
await (bundle === undefined ? import('./run.js') : import(bundle));
