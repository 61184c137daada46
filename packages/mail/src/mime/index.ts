/**
 * mime: headers of a message, for programs that need nothing else of this package. It loads no store and no client.
 */
export { type HeaderField, readHeaderFields, readHeaders } from "./header-fields.ts";
