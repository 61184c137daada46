/**
 * Receives reports of a package. The packages print nothing themselves: without a logger they are silent.
 * `console` fits, and so do pino, winston and bunyan through a two-line adapter.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Structured fields of a log line. Never credentials, item contents or mail bodies. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Discards everything: the default. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
