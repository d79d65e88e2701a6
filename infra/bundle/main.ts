import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

await bundle(
  { plane: 'control-plane', entries: { run: 'control-plane/dist/run.js' }, apart: ['twilio'] },
  root,
);
