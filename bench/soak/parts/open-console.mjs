import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"].find(
  (path) => existsSync(path),
);

/** An observer: the console in a browser, or without a browser, a reader of the events the console would receive. */
export async function openConsole(http) {
  if (executablePath === undefined) return readEvents(http);
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage();
  await page.goto(http, { timeout: 120_000 });
  return { what: "the console is open in a browser", close: () => browser.close() };
}

async function readEvents(http) {
  const stop = new AbortController();
  const answer = await fetch(new URL("/api/v3/mail/events", http), { signal: stop.signal });
  const reading = (async () => {
    for await (const _chunk of answer.body) if (stop.signal.aborted) return;
  })().catch(() => {});
  return {
    what: "no browser found: a reader of events instead of the console",
    async close() {
      stop.abort();
      await reading;
    },
  };
}
