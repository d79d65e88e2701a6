import type { Config } from '../../config.js';
import { DiskStorage } from './disk-storage.js';
import type { ObjectStorage } from './object-storage.js';
import { S3Storage } from './s3-storage.js';

/** Returns the object storage of the installation: its bucket, or the disk. */
export function storageOf(config: Pick<Config, 's3' | 'dataDir'>): ObjectStorage {
  return config.s3 ? new S3Storage(config.s3, config.dataDir) : new DiskStorage(config.dataDir);
}
