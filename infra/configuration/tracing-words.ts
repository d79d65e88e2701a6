import type { Section } from './section.js';

/** OpenTelemetry's own variables, as far as they are read. */
export const TRACES: Section = {
  title: 'Traces',
  variables: {
    OTEL_EXPORTER_OTLP_ENDPOINT:
      'Base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Calls are traced once it is set ([traces](production.md#traces)).',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
      default: '`/v1/traces` of the base URL',
      meaning: 'The whole URL that spans are sent to, in place of the base.',
    },
    OTEL_EXPORTER_OTLP_HEADERS:
      'Headers of those requests, such as keys: `name=value` by comma, percent-encoded.',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'OTLP over HTTP in JSON; there is no other.',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'For one of those requests, in ms.',
    OTEL_SDK_DISABLED: '`true` switches tracing off.',
    OTEL_SERVICE_NAME: {
      default: '`control-plane` and `media-worker`',
      meaning: 'The name that spans carry as `service.name`.',
    },
    OTEL_RESOURCE_ATTRIBUTES: 'More attributes of every span’s resource: `name=value` by comma.',
    OTEL_TRACES_SAMPLER:
      '`traceidratio` (with or without `parentbased_`) traces a share of the calls. `always_off` traces none.',
    OTEL_TRACES_SAMPLER_ARG: 'That share, 0 to 1. Give both planes the same.',
    OTEL_BSP_SCHEDULE_DELAY: 'How long spans wait to be sent together, in ms.',
    OTEL_BSP_MAX_QUEUE_SIZE: 'Spans that wait at most. More are dropped and counted.',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'Spans in one request.',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT:
      '`true` puts prompts, answers, and arguments and results of tools into spans. Callers’ words are among them.',
  },
};
