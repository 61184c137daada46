import { type OptionCheck, type OptionChecker, optionChecker } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";

/** Throws `CLIENT_OPTION_INVALID` for the first option that is unknown or has a wrong value. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** Creates the error for an option. `reason` continues after the option's name: "must be …". */
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
      return "must not contain a user name or password: use the option credentials";
    return undefined;
  };
}
