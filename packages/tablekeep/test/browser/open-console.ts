/** The console in a real browser, on a separate server. With CI set a browser is required. */
import { existsSync } from "node:fs";
import { createTransport, type SendMailOptions } from "nodemailer";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { buildConsole } from "../../../../scripts/lib/build-console.mjs";
import type { ServerOptions } from "../../src/server/options/server-options.ts";
import { type RunningServer, startServer } from "../../src/server/start-server.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"].find(
  existsSync,
);
const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "");

/** Whether there is no browser, and none is required. */
export const skipsBrowser: boolean = executablePath === undefined && !isCi;

/** Time for a test in a browser on a busy machine, in milliseconds. */
export const browserTestMs = 600_000;

export interface OpenConsole extends AsyncDisposable {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly page: Page;
  /** Unexpected behavior of the page: dialogs, errors, and requests to other hosts. */
  readonly violations: string[];
  /** The address of a listener. */
  urlOf(name: string): string;
  /** Goes to a place such as `#/mail`. */
  goTo(hash: string): Promise<void>;
  /** Sends a mail over SMTP. */
  send(mail: SendMailOptions): Promise<void>;
  /** Another page on the same server. */
  openPage(options?: BrowserContextOptions): Promise<Page>;
}

let browserOfProcess: Promise<Browser> | undefined;
let consoleOfProcess: Promise<void> | undefined;

/**
 * Returns the browser of this process, which all test files share. It ends with the process. Pages of one file are in contexts of their
 * own, which the file closes.
 */
export function sharedBrowser(): Promise<Browser> {
  browserOfProcess ??= chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      // A separate process per shown message would take most of a test's time.
      "--disable-features=IsolateSandboxedIframes",
    ],
  });
  return browserOfProcess;
}

/** Builds the console once, unless `npm test` has built it. */
function consoleIsBuilt(): Promise<void> {
  consoleOfProcess ??= process.env["PACKAGES_ARE_BUILT"] === "1" ? Promise.resolve() : buildConsole();
  return consoleOfProcess;
}

/** Builds the console, starts a server in memory and opens the page. */
export async function openConsole(options: ServerOptions = {}): Promise<OpenConsole> {
  await consoleIsBuilt();
  const server = await startServer({
    memory: true,
    httpPort: 0,
    dynamodbPort: 0,
    smtpPort: 0,
    mqttPort: 0,
    ...options,
  });
  const browser = await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const violations: string[] = [];
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  const openPage = async (more: BrowserContextOptions = {}) => {
    const context = await browser.newContext(more);
    contexts.push(context);
    const page = await context.newPage();
    watchPage(page, urlOf("http"), violations);
    return page;
  };
  const page = await openPage();
  return {
    server,
    browser,
    page,
    violations,
    urlOf,
    openPage,
    async goTo(hash) {
      await page.goto(new URL(hash, urlOf("http")).href);
    },
    async send(mail) {
      const { hostname, port } = new URL(urlOf("smtp"));
      const transport = createTransport({ host: hostname, port: Number(port), ignoreTLS: true });
      await transport.sendMail({ from: "anna@example.com", to: "ben@example.com", ...mail });
      transport.close();
    },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close();
      await server.stop();
    },
  };
}

function watchPage(page: Page, home: string, violations: string[]): void {
  page.setDefaultTimeout(300_000);
  page.on("dialog", (dialog) => {
    violations.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => violations.push(`error: ${error.message}`));
  page.on("popup", (popup) => violations.push(`popup: ${popup.url()}`));
  // A blob of no origin is the worker of the sandbox, and in the page already.
  const isOwn = (url: string) => [home, "data:", "blob:null/"].some((start) => url.startsWith(start));
  page.on("requestfinished", (request) => {
    if (!isOwn(request.url())) violations.push(`request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // What the browser itself stopped, such as by the policy, was never sent, and has no error of the network.
    const reason = request.failure()?.errorText ?? "";
    if (!isOwn(request.url()) && /^net::ERR_(?!BLOCKED)/.test(reason))
      violations.push(`request: ${request.url()} failed with ${reason}`);
  });
  page.on("framenavigated", (frame) => {
    // A frame that was stopped shows an error page of the browser's own.
    if (/^(https?|data|file|javascript):/.test(frame.url()) && !frame.url().startsWith(home))
      violations.push(`navigation: ${frame.url()}`);
  });
}
