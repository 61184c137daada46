import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listen } from "./listener.ts";

// A link-local address needs the name of its interface; without IPv6, no such address can be used at all.
test.runIf(process.platform === "linux")("an address that the system cannot bind is reported", async () => {
  const server = createServer();
  const target = { listener: "http", host: "fe80::1", port: 0 };
  await expect(listen(server, { ...target, portFlag: "--http-port" })).rejects.toMatchObject({
    code: "SERVER_LISTEN_FAILED",
    kind: "unavailable",
    details: target,
    cause: { code: expect.stringMatching(/^E/) },
  });
  server.close();
});
