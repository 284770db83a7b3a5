// Comes in: OpenTelemetry's API, with the SDK that the application registered. Goes out: the `tracing` option, which makes
// a span of every request and of every statement. Refused: nothing.
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry'
