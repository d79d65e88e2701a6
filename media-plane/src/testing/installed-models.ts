import { findLocalModels, type LocalModels } from '@voice/shared/local-models/local-models';

/** The models that this machine has, for tests that need one and are skipped, loudly, where there is none. */
export function installedModels(): LocalModels {
  return findLocalModels({ modelsDir: process.env.MODELS_DIR, cacheHome: process.env.XDG_CACHE_HOME });
}
