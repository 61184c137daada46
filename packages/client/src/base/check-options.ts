import { checkOptions as checkOptionsOf, type OptionCheck, type OptionChecks } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";

/** Refuses options that do not exist and values that do not fit, with a `CLIENT_OPTION_INVALID` that names the option. */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  checkOptionsOf(given, checks, optionInvalid);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): ClientError<"CLIENT_OPTION_INVALID"> {
  return new ClientError("CLIENT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** The absolute URL of a server: http or https, and nothing that a request could not carry. */
export function serverUrl(allowed: { readonly credentials: boolean }): OptionCheck {
  return (value) => {
    if (typeof value !== "string" || !URL.canParse(value))
      return "must be a URL such as http://127.0.0.1:8000";
    const url = new URL(value);
    if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https://";
    if (url.search !== "" || url.hash !== "") return "must not have a query or a fragment";
    if (!allowed.credentials && (url.username !== "" || url.password !== ""))
      return "must not hold a user name or password: give credentials instead";
    return undefined;
  };
}
