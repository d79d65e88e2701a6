// Removes from an installed node_modules the binaries of other platforms and of other versions of Node, which are
// half of it, and sources that only a build reads. Usage: node prune.mjs node_modules
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const { platform, arch, versions } = process;
const [root = 'node_modules'] = process.argv.slice(2);

/** Removes what is in a folder, except for one entry, which must be there: else the layout is not as it is known. */
function keepOnly(folder, kept) {
  if (!existsSync(join(folder, kept))) {
    throw new Error(`${join(folder, kept)} is missing: the package’s layout has changed; adapt prune.mjs.`);
  }
  for (const entry of readdirSync(folder)) {
    if (entry !== kept) rmSync(join(folder, entry), { recursive: true });
  }
}

const onnx = join(root, 'onnxruntime-node/bin/napi-v6');
keepOnly(onnx, platform);
keepOnly(join(onnx, platform), arch);
keepOnly(join(root, 'uWebSockets.js/dist/bin'), `uws_${platform}_${arch}_${versions.modules}.node`);
// The same files once more.
rmSync(join(root, '@elevenlabs/elevenlabs-js/dist'), { recursive: true });
rmSync(join(root, 'mediasoup/worker'), { recursive: true });
