import { currentBundle } from '@voice/shared/process/bundle';

// Here and not by --enable-source-maps: with that, each log would read all maps as it is made, for the path of its caller.
process.setSourceMapsEnabled(true);

// A thousand files take Node half a second of the processor: where all of them are in one, that one runs.
const bundle = currentBundle('media-plane');
await (bundle === undefined ? import('./run.js') : import(bundle));
