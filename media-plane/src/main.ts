import { currentBundle } from '@voice/shared/process/bundle';

// A thousand files take Node half a second of the processor: where all of them are in one, that one runs.
const bundle = currentBundle('media-plane');
await (bundle === undefined ? import('./run.js') : import(bundle));
