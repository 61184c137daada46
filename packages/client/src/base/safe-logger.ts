import type { Logger } from "@tablekeep/core";

/**
 * Returns a logger that never throws: a full disk under a log must neither make a stored write look failed nor hide that another
 * may be stored.
 */
export function safeLogger(logger: Logger): Logger {
  const level =
    (name: keyof Logger): Logger["warn"] =>
    (message, fields) => {
      try {
        logger[name](message, fields);
      } catch {
        // There is nowhere left to report it.
      }
    };
  return { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
}
