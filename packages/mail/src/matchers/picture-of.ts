import { type AssertedMail, requireBytes } from "./asserted-message.ts";
import { pictureHtml } from "./picture-html.ts";

/** The part of Playwright's `Page` that pictures need. */
export interface PicturePage {
  viewportSize(): { width: number; height: number } | null;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(options: {
    colorScheme?: "light" | "dark" | null;
    reducedMotion?: "reduce" | "no-preference" | null;
    media?: "screen" | "print" | null;
  }): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  route(url: string, handler: AbortRequest): Promise<unknown>;
  unroute(url: string, handler: AbortRequest): Promise<void>;
  setContent(html: string, options?: { waitUntil?: "load" }): Promise<void>;
  screenshot(options: {
    fullPage: boolean;
    animations: "disabled";
    caret: "hide";
    scale: "css";
    type: "png";
  }): Promise<Buffer>;
}

type AbortRequest = (route: { abort(): Promise<void> }) => unknown;

/** How a picture is taken. */
export interface PictureOptions {
  /** What the reader prefers. @default light */
  readonly scheme?: "light" | "dark";
  /** Width in pixels; 375 is a phone. @default 640 */
  readonly width?: number;
}

const everything = "**/*";

/** What the page shows by its own settings or those of the test: Playwright does not return them. */
const readMedia = `({
  colorScheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  reducedMotion: matchMedia("(prefers-reduced-motion: reduce)").matches ? "reduce" : "no-preference",
  media: matchMedia("print").matches ? "print" : "screen",
})`;

/**
 * Returns a picture of a message as PNG, taken by a page of your Playwright: the whole HTML with its embedded images, or the text.
 * Nothing is loaded, no script runs, and nothing moves. The page shows the message afterwards, with its former size, media and routes.
 *
 * @example
 * const picture = await pictureOf(page, message, { scheme: "dark", width: 375 });
 * expect(picture).toMatchSnapshot("order-dark.png");
 */
export async function pictureOf(
  page: PicturePage,
  mail: AssertedMail,
  { scheme = "light", width = 640 }: PictureOptions = {},
): Promise<Buffer> {
  if (!Number.isInteger(width) || width < 100 || width > 4000)
    throw new TypeError("width must be an integer from 100 to 4000");
  const html = pictureHtml(requireBytes(mail, "a picture"));
  const size = page.viewportSize();
  const media = (await page.evaluate(readMedia)) as Parameters<PicturePage["emulateMedia"]>[0];
  const abort: AbortRequest = (route) => route.abort();
  await page.route(everything, abort);
  try {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce", media: "screen" });
    await page.setViewportSize({ width, height: 800 });
    await page.setContent(html, { waitUntil: "load" });
    return await page.screenshot({
      fullPage: true,
      animations: "disabled",
      caret: "hide",
      scale: "css",
      type: "png",
    });
  } finally {
    // With its handler, because the test may have a route for everything, too.
    await page.unroute(everything, abort);
    await page.emulateMedia(media);
    if (size !== null) await page.setViewportSize(size);
  }
}
