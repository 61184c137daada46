/**
 * mime: the headers and the structure of a message, and the text and links of its content, for programs that need nothing else of this package.
 * It loads no store and no client.
 */
export { type HeaderField, readHeaderFields, readHeaders } from "./header-fields.ts";
export { htmlLinks, htmlText, textLinks } from "./html-text.ts";
export { type MessageStructure, readStructure } from "./message-structure.ts";
