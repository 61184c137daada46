import type { MailOptions } from "@tablekeep/mail";
import { CliError } from "../frame/cli-error.ts";
import type { ServeConfig } from "./serve-config.ts";
import type { ServeSettings } from "./settings.ts";

/** The options of the configured mail store: the section of the file, and the settings that take precedence over it. */
export function mailStoreOptions({ settings, stores }: ServeConfig): MailOptions {
  return { hostname: settings.hostname, ...stores.mail, ...retentionOf(settings) };
}

/** Most days of `ttlDays`. */
const maxDays = 3650;

function retentionOf({ mailMax, mailMaxAge }: ServeSettings): Pick<MailOptions, "maxMessages" | "ttlDays"> {
  if (mailMax !== undefined && !(Number.isSafeInteger(mailMax) && mailMax > 0))
    throw new CliError("CLI_VALUE_INVALID", `--mail-max must be an integer from 1, got ${mailMax}`);
  if (mailMaxAge !== undefined && !(Number.isInteger(mailMaxAge) && mailMaxAge > 0 && mailMaxAge <= maxDays))
    throw new CliError(
      "CLI_VALUE_INVALID",
      `--mail-max-age must be an integer from 1 to ${maxDays}, in days, got ${mailMaxAge}`,
    );
  return {
    ...(mailMax !== undefined && { maxMessages: mailMax }),
    ...(mailMaxAge !== undefined && { ttlDays: mailMaxAge }),
  };
}
