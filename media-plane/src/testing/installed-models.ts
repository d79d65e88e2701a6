import { findLocalModels, type LocalModels } from '@voice/shared/local-models/local-models';

/**
 * Finds the models that this machine has, for tests that need one and are skipped, with a warning, where there is none.
 */
export function installedModels(): LocalModels {
  return findLocalModels({ modelsDir: process.env.MODELS_DIR, cacheHome: process.env.XDG_CACHE_HOME });
}
