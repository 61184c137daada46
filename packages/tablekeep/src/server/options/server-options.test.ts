import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isLoopback } from "../listening/listener.ts";
import { resolveServerOptions, type ServerOptions } from "./server-options.ts";

test("nothing given means loopback, the documented port and an absolute folder", () => {
  expect(resolveServerOptions({})).toMatchObject({
    host: "127.0.0.1",
    httpPort: 8025,
    stopGraceMs: 5000,
    dataFolder: expect.stringMatching(/tablekeep-data$/),
  });
});

test("undefined means the default", () => {
  const given = { httpPort: undefined } as unknown as ServerOptions;
  expect(resolveServerOptions(given).httpPort).toBe(8025);
});

const here = fileURLToPath(import.meta.url);
const tooLong = "x".repeat(300);

test.each([
  [{ htpPort: 1 }, "SERVER_OPTION_INVALID", { option: "htpPort" }],
  [{ httpPort: 65_536 }, "SERVER_OPTION_INVALID", { option: "httpPort" }],
  [{ httpPort: 1.5 }, "SERVER_OPTION_INVALID", { option: "httpPort" }],
  [{ httpPort: "8025" }, "SERVER_OPTION_INVALID", { option: "httpPort" }],
  [{ stopGraceMs: -1 }, "SERVER_OPTION_INVALID", { option: "stopGraceMs" }],
  [{ host: "", allowAnonymous: true }, "SERVER_OPTION_INVALID", { option: "host" }],
  [{ dataFolder: "" }, "SERVER_OPTION_INVALID", { option: "dataFolder" }],
  [{ dataFolder: here }, "SERVER_DATA_FOLDER_INVALID", { dataFolder: here }],
  [{ dataFolder: `${here}/data` }, "SERVER_DATA_FOLDER_INVALID", { dataFolder: `${here}/data` }],
  [{ dataFolder: tooLong }, "SERVER_DATA_FOLDER_INVALID", { dataFolder: resolve(tooLong) }],
  [{ host: "0.0.0.0" }, "SERVER_HOST_REFUSED", { host: "0.0.0.0" }],
  // None of these is what a browser would ever send.
  [{ corsOrigin: "http://localhost:3000/" }, "SERVER_OPTION_INVALID", { option: "corsOrigin" }],
  [{ corsOrigin: "localhost:3000" }, "SERVER_OPTION_INVALID", { option: "corsOrigin" }],
  [{ corsOrigin: "http://a\nb" }, "SERVER_OPTION_INVALID", { option: "corsOrigin" }],
  [{ corsOrigin: "" }, "SERVER_OPTION_INVALID", { option: "corsOrigin" }],
])("%j is rejected with %s", (options, code, details) => {
  expect(() => resolveServerOptions(options as ServerOptions)).toThrow(
    expect.objectContaining({ code, details: expect.objectContaining(details) }),
  );
});

test.each(["*", "https://app.example", "http://localhost:3000", "http://[::1]:80"])(
  "%s is an origin",
  (corsOrigin) => {
    expect(resolveServerOptions({ corsOrigin }).corsOrigin).toBe(corsOrigin);
  },
);

test("only addresses that never leave the machine count as loopback", () => {
  expect(["127.0.0.1", "127.9.9.9", "::1", "localhost"].map(isLoopback)).toEqual([true, true, true, true]);
  expect(["0.0.0.0", "::", "10.0.0.1", "127.evil.example", "localhost.example"].some(isLoopback)).toBe(false);
});
