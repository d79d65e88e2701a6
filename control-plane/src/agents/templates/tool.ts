import type { AgentCreate } from '../schemas.js';

/** A tool as a template gives it: what the API takes. */
export type TemplateTool = AgentCreate['tools'][number];
