import type { Logger } from "@tablekeep/core";

/**
 * The logger, whose failures nobody hears of: a full disk under a log must neither make a write that is stored look
 * failed nor hide that another may be.
 */
export function unfailingLogger(logger: Logger): Logger {
  const level =
    (name: keyof Logger): Logger["warn"] =>
    (message, fields) => {
      try {
        logger[name](message, fields);
      } catch {
        // There is nowhere left to tell it.
      }
    };
  return { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
}
