import { z } from 'zod';
import { ConfigurationError } from '../environment/environment.js';
import { choice, httpBaseUrl, httpUrl, number, optionalText, wholeNumber } from '../environment/parsers.js';

const trueOrFalse = choice(['true', 'false']).transform((text) => text === 'true');

/** OpenTelemetry's own variables. Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const tracingVariables = {
  /** Base URL of a collector; without one nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpBaseUrl.optional(),
  /** The whole URL of traces, in place of the base. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  /** `name=value` by comma, percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS: optionalText,
  OTEL_EXPORTER_OTLP_PROTOCOL: choice(['http/json']).default('http/json'),
  /** For one request, in ms. */
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber({ min: 100, max: 60_000 }).default(10_000),
  OTEL_SDK_DISABLED: trueOrFalse.prefault('false'),
  OTEL_SERVICE_NAME: optionalText,
  /** `name=value` by comma, percent-encoded. */
  OTEL_RESOURCE_ATTRIBUTES: optionalText,
  OTEL_TRACES_SAMPLER: choice([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ]).default('parentbased_always_on'),
  /** The share of calls that the ratio samplers trace. */
  OTEL_TRACES_SAMPLER_ARG: number({ min: 0, max: 1 }).default(1),
  /** How long spans wait to be sent together, in ms. */
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber({ min: 10, max: 60_000 }).default(5000),
  OTEL_BSP_MAX_QUEUE_SIZE: wholeNumber({ min: 1, max: 1_000_000 }).default(2048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: wholeNumber({ min: 1, max: 100_000 }).default(512),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: trueOrFalse.prefault('false'),
};

const tracingSchema = z.object(tracingVariables);

/** How spans are sent. */
export interface TracingSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Undefined: the process's own name. */
  readonly serviceName: string | undefined;
  readonly resource: Readonly<Record<string, string>>;
  /** Of calls that are traced, 0 to 1. */
  readonly share: number;
  readonly delayMs: number;
  readonly maxQueued: number;
  readonly maxBatch: number;
  /** Whether texts of callers, prompts and tools are sent. */
  readonly includesContent: boolean;
}

/**
 * Returns the settings that parsed variables hold; undefined: tracing is off.
 * @throws ConfigurationError that names the variable; it does not repeat headers, which hold keys
 */
export function tracingSettings(vars: z.output<typeof tracingSchema>): TracingSettings | undefined {
  const base = vars.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = vars.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  const share = shareOf(vars);
  if (url === undefined || vars.OTEL_SDK_DISABLED || share === 0) return undefined;
  return {
    url,
    headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', vars.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: vars.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: vars.OTEL_SERVICE_NAME,
    resource: pairs('OTEL_RESOURCE_ATTRIBUTES', vars.OTEL_RESOURCE_ATTRIBUTES),
    share,
    delayMs: vars.OTEL_BSP_SCHEDULE_DELAY,
    maxQueued: vars.OTEL_BSP_MAX_QUEUE_SIZE,
    maxBatch: vars.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    includesContent: vars.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  };
}

function shareOf(vars: z.output<typeof tracingSchema>): number {
  if (vars.OTEL_TRACES_SAMPLER.endsWith('always_off')) return 0;
  return vars.OTEL_TRACES_SAMPLER.endsWith('traceidratio') ? vars.OTEL_TRACES_SAMPLER_ARG : 1;
}

function pairs(variable: string, text: string | undefined): Record<string, string> {
  const entries = (text ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      try {
        if (at > 0) return [entry.slice(0, at).trim(), decodeURIComponent(entry.slice(at + 1).trim())];
      } catch {
        // Not percent-encoded: reported like an entry without a name.
      }
      throw new ConfigurationError(`${variable}: expected name=value pairs by comma, percent-encoded`);
    }),
  );
}
