/** What the shared system's voice vendor takes: the key of a tenant, for the installation has none. */
export const TENANTS_VOICE_KEY = 'xi-key-of-a-tenant-4711';
