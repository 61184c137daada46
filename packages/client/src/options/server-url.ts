import type { OptionCheck } from "@tablekeep/core";

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
