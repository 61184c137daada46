/** A released message arrives as one message at a third-party server: npm's smtp-server. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { systemClock } from "@tablekeep/core";
import { SMTPServer } from "smtp-server";
import { afterAll, expect, test } from "vitest";
import { createReleaser } from "../../src/server/release/releaser.ts";

const arrived: { readonly from: string; readonly to: readonly string[]; readonly text: string }[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  disableReverseLookup: true,
  async onData(stream, { envelope }, callback) {
    const text = (await buffer(stream)).toString("latin1");
    const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
    arrived.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
    callback();
  },
});
server.listen(0, "127.0.0.1");
await once(server.server, "listening");
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

const { port } = server.server.address() as AddressInfo;
const releaser = createReleaser({
  relays: new Map([["other", { name: "other", host: "127.0.0.1", port }]]),
  hostname: "mailhog.example",
  clock: systemClock,
});
const evil = "MAIL FROM:<evil@x.example>\r\nRCPT TO:<evil@x.example>\r\nDATA\r\nevil\r\n.\r\n";

test.each(["\n.\n", "\n.\r\n", "\r.\r", "\r.\r\n", "\r\n.\n", "\r\n.\r", "\n.\r", "\r.\n", "\r\n.\r\n"])(
  "%j inside a message does not split it",
  async (ending) => {
    const raw = Buffer.from(`Subject: x\r\n\r\na${ending}${evil}`, "latin1");
    const envelope = { from: "a@b.example", to: ["c@d.example"], helo: "me" };
    arrived.length = 0;
    await releaser.release({ raw, envelope }, { relay: { name: "other" }, to: "to@x.example" });
    const text = raw.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n");
    expect(arrived).toEqual([{ from: "a@b.example", to: ["to@x.example"], text }]);
  },
);
