import type { DecodedMessage } from "@tablekeep/mail";
import { isLoopback } from "../../listening/listener.ts";
import type { ImageUrl, PreferredColors } from "./clean-css.ts";
import { cleanHtml } from "./clean-html.ts";

export interface HtmlPreviewOptions {
  /** Whether to load remote images, which reveal the reader to the sender. */
  readonly remote: boolean;
  /** Which colors conditions on `prefers-color-scheme` choose. @default what the browser prefers */
  readonly colors?: PreferredColors;
  /** The host of the request: none of its images are loaded. */
  readonly host: string;
  readonly signal?: AbortSignal;
}

/**
 * Returns the HTML of a message as a page that can be shown in a frame. Images that the message contains are part of
 * the page, so that it needs no request to this server.
 */
export function htmlPreview(
  { html, attachments }: Pick<DecodedMessage, "html" | "attachments">,
  { remote, colors, host, signal }: HtmlPreviewOptions,
): Promise<string> {
  const ownImage = ownImages(attachments);
  const imageUrl: ImageUrl = (url) => {
    const [, protocol = "", rest = ""] = /^([a-z]+):(.*)$/is.exec(url) ?? [];
    switch (protocol.toLowerCase()) {
      case "cid":
        return ownImage(decodedId(rest));
      case "data":
        return /^data:image\/(png|jpe?g|gif|webp|avif|bmp|x-icon)[;,]/i.test(url) ? url : undefined;
      default:
        return remote ? webImage(url, host) : undefined;
    }
  };
  return cleanHtml(html, { imageUrl, colors, signal });
}

/** Returns the image with a content id as a `data:` URL. */
function ownImages(attachments: DecodedMessage["attachments"]): (contentId: string) => string | undefined {
  const images = attachments.filter(({ contentId, type }) => contentId !== "" && isShownImage(type));
  const byId = new Map(images.map((image) => [image.contentId, image]));
  const urls = new Map<string, string>();
  // A page that shows one large image a thousand times must not become a thousand times as large.
  let charactersLeft = images.reduce((sum, { content }) => sum + 4 * content.length, 1024 * 1024);
  return (contentId) => {
    const image = byId.get(contentId);
    if (image === undefined) return undefined;
    const url =
      urls.get(contentId) ?? `data:${image.type};base64,${Buffer.from(image.content).toString("base64")}`;
    urls.set(contentId, url);
    charactersLeft -= url.length;
    return charactersLeft < 0 ? undefined : url;
  };
}

/**
 * The policy of a preview, regardless of its markup: it may load images, and open links in a new tab. Scripts, forms,
 * frames and requests of every other kind are forbidden, and its origin is none.
 */
export function previewPolicy({ remote }: Pick<HtmlPreviewOptions, "remote">): string {
  return [
    "sandbox allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    `img-src ${remote ? "data: https: http:" : "data:"}`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** Image types that a browser may show inside a message. SVG is not one of them: it is a document. */
const shownTypes = /^image\/(png|jpe?g|gif|webp|avif|bmp|x-icon)$/;

/** Whether an attachment may be shown inside a message. */
export function isShownImage(type: string): boolean {
  return shownTypes.test(type);
}

/** The URL of a remote image; undefined if it is not one, or if it points to this server. */
function webImage(url: string, host: string): string | undefined {
  const absolute = url.startsWith("//") ? `https:${url}` : url;
  if (!URL.canParse(absolute)) return undefined;
  const parsed = new URL(absolute);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return undefined;
  return isSameServer(parsed, host) ? undefined : parsed.href;
}

/** Whether a URL names this server. A name that only resolves to its address is not recognized. */
function isSameServer(url: URL, host: string): boolean {
  if (!URL.canParse(`${url.protocol}//${host}`)) return true;
  const own = new URL(`${url.protocol}//${host}`);
  const isLocal = (name: string) => isLoopback(name) || name === "[::1]" || name.endsWith(".localhost");
  const isSameName = url.hostname === own.hostname || (isLocal(url.hostname) && isLocal(own.hostname));
  return url.port === own.port && isSameName;
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
