import type { DecodedMessage } from "@tablekeep/mail";

/** A page to be shown in a frame of its own. */
export interface HtmlView {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * The HTML of a message, to be shown. It comes from a stranger: the policy lets it run nothing, send nothing and load
 * nothing but the message's own images, and its origin is none. Images of the web are loaded only if somebody asks for
 * them, because they tell the sender who reads.
 */
export function htmlView(
  message: DecodedMessage,
  imagesAt: string,
  { remote }: { remote: boolean },
): HtmlView {
  const own = message.html.replace(/(["'(=]\s*)cid:([^"')\s>]+)/gi, (whole, before: string, id: string) => {
    const index = message.attachments.find(({ contentId }) => contentId === decodedId(id))?.index;
    return index === undefined ? whole : `${before}${imagesAt}/${index}`;
  });
  const images = remote ? "'self' data: https: http:" : "'self' data:";
  return {
    html: own,
    contentSecurityPolicy: [
      "sandbox",
      "default-src 'none'",
      `img-src ${images}`,
      "style-src 'unsafe-inline'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
  };
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Types that a browser may show where an image stands. SVG is none: it is a document. */
const shownTypes = /^image\/(png|jpe?g|gif|webp|avif|bmp|x-icon)$/;

/** Whether an attachment may be shown inside a message. */
export function isShownImage(type: string): boolean {
  return shownTypes.test(type);
}
