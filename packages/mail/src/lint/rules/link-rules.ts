import { isIP } from "node:net";
import { textLinks } from "../../mime/html-text.ts";
import type { HtmlElement, ParsedHtml } from "../html/parse-html.ts";
import type { Report } from "../lint-rules.ts";

/** Checks the links and images of an HTML part, without any network. */
export function checkLinks(
  { elements }: ParsedHtml,
  {
    contentIds,
    allowHosts,
  }: { readonly contentIds: ReadonlySet<string>; readonly allowHosts: readonly string[] },
  report: Report,
): void {
  for (const element of elements) {
    const { name, attributes } = element;
    const where = `line ${element.line}`;
    if (name === "a" && attributes["href"] !== undefined)
      checkLink(element, attributes["href"], allowHosts, report);
    if (name === "a" && attributes["href"] === undefined && element.text.trim() !== "" && !isAnchor(element))
      report("link-invalid", `the link ${quoted(element.text)} has no address`, { where });
    if (name === "img") checkImage(element, contentIds, report);
  }
}

/** Checks the addresses in plain text, except those that the HTML has as well. */
export function checkTextLinks(
  texts: readonly string[],
  htmls: readonly ParsedHtml[],
  allowHosts: readonly string[],
  report: Report,
): void {
  const known = new Set(
    htmls.flatMap(({ elements }) => elements.map(({ attributes }) => attributes["href"])),
  );
  for (const link of new Set(texts.flatMap(textLinks)))
    if (!known.has(link) && !placeholder.test(link) && URL.canParse(link))
      checkHost(link, new URL(link), { allowHosts, where: "plain text" }, report);
}

function isAnchor({ attributes }: HtmlElement): boolean {
  return attributes["name"] !== undefined || attributes["id"] !== undefined;
}

function checkImage(
  { attributes, line }: HtmlElement,
  contentIds: ReadonlySet<string>,
  report: Report,
): void {
  const where = `line ${line}`;
  const { src = "", alt, role } = attributes;
  // A pixel that counts readers has no text alternative to offer.
  const isPixel = attributes["width"] === "1" && attributes["height"] === "1";
  if (alt === undefined && role !== "presentation" && attributes["aria-hidden"] !== "true" && !isPixel)
    report("image-alt", `the image ${quoted(src)} has no alt attribute`, { where });
  const id = /^cid:(.*)$/is.exec(src.trim())?.[1];
  if (id !== undefined && !contentIds.has(id) && !contentIds.has(decoded(id)))
    report("image-missing", `no part of the message has the Content-ID ${quoted(id)}`, { where });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const placeholder = /\{\{|\{%|<%|\$\{|\*\|/;

function checkLink(element: HtmlElement, href: string, allowHosts: readonly string[], report: Report): void {
  const where = `line ${element.line}`;
  const link = href.trim();
  if (placeholder.test(link)) {
    report("template-rest", `a placeholder is left in the link ${quoted(link)}`, { where });
    return;
  }
  const broken = brokenBy(link);
  if (broken !== undefined) report("link-invalid", `the link ${quoted(link)} ${broken}`, { where });
  const url = broken === undefined && /^https?:/i.test(link) ? new URL(link) : undefined;
  if (url === undefined || allowHosts.includes(url.hostname.toLowerCase())) return;
  checkHost(link, url, { allowHosts, where }, report);
  checkShown(element, url.hostname, report);
}

function checkHost(
  link: string,
  { hostname, protocol }: URL,
  { allowHosts, where }: { readonly allowHosts: readonly string[]; readonly where: string },
  report: Report,
): void {
  if (allowHosts.includes(hostname.toLowerCase())) return;
  const reason = unreachable(hostname);
  if (reason !== undefined)
    report("link-placeholder", `the link ${quoted(link)} leads to ${hostname}, ${reason}`, { where });
  else if (protocol === "http:") report("link-insecure", `the link ${quoted(link)} uses http`, { where });
}

/** Why a link cannot be followed; undefined if it is complete. */
function brokenBy(link: string): string | undefined {
  if (link === "" || link === "#") return "leads nowhere";
  if (link.startsWith("#")) return undefined;
  if (/^javascript:/i.test(link)) return "is a script, which no mail client runs";
  if (!/^[a-z][a-z0-9+.-]*:/i.test(link)) return "is relative";
  return URL.canParse(link) ? undefined : "is malformed";
}

/** Names that RFC 2606 and RFC 6761 reserve, and others that only work in one network. */
function unreachable(hostname: string): string | undefined {
  const host = hostname.toLowerCase().replaceAll(/^\[|\]$/g, "");
  if (/(?:^|\.)(?:localhost|test|invalid|local|internal|lan|home\.arpa)$/.test(host))
    return "a name in a private network";
  if (/(?:^|\.)example(?:\.(?:com|net|org))?$/.test(host)) return "a name for examples";
  if (isIP(host) !== 0) {
    const isPrivate =
      /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|^(?:::1$|::$|f[cd]|fe[89ab])/.test(host);
    return isPrivate ? "an address in a private network" : undefined;
  }
  return host.includes(".") ? undefined : "a name without a domain";
}

/** Checks that a link whose text is an address leads to that host. */
function checkShown({ text, line }: HtmlElement, hostname: string, report: Report): void {
  const shown = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/?#]\S*)?$/i.exec(text.trim())?.[1];
  if (shown === undefined) return;
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, "");
  if (bare(shown) !== bare(hostname) && !bare(hostname).endsWith(`.${bare(shown)}`))
    report("link-mismatch", `the link shows ${shown} but leads to ${hostname}`, { where: `line ${line}` });
}

function quoted(text: string): string {
  const plain = text.trim().replaceAll(/\s+/g, " ");
  return JSON.stringify(plain.length > 80 ? `${plain.slice(0, 80)}…` : plain);
}
