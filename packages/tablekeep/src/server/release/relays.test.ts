import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { parseRelays, readRelaysFile } from "./relays.ts";

function newFile(): string {
  const folder = tempFolder();
  mkdirSync(folder);
  return join(folder, "relays.json");
}

test("reads MailHog's file unchanged, with names in any case", () => {
  const path = newFile();
  const full = {
    Name: "a",
    Save: true,
    Email: "me@x",
    Host: "mail.example",
    Port: "587",
    Username: "u",
    Password: "p",
  };
  writeFileSync(
    path,
    JSON.stringify({
      a: { ...full, Mechanism: "CRAMMD5" },
      b: { host: "::1", port: 25, allowPrivate: true },
    }),
  );
  expect([...readRelaysFile(path).values()]).toMatchObject([
    {
      name: "a",
      host: "mail.example",
      port: 587,
      username: "u",
      password: "p",
      mechanism: "CRAM-MD5",
      email: "me@x",
    },
    { name: "b", host: "::1", port: 25, username: undefined, allowPrivate: true },
  ]);
});

test.each([
  [[], "an object of relays"],
  [{ a: 1 }, "must be an object"],
  [{ a: {} }, "Host of relay"],
  [{ a: { Host: "x\r\ny" } }, "Host of relay"],
  [{ a: { Host: "x", Port: "many" } }, "Port of relay"],
  [{ a: { Host: "x", Port: 0 } }, "Port of relay"],
  [{ a: { Host: "x", Mechanism: "NTLM" } }, "Mechanism of relay"],
  [{ a: { Host: "x", Password: { secret: 1 } } }, "password of relay"],
])("rejects %j in one line", (document, reason) => {
  expect(() => parseRelays(document, "relays.json")).toThrow(reason);
  expect(() => parseRelays(document, "relays.json")).not.toThrow("secret");
});

test("reports a missing or malformed file in one line", () => {
  const path = newFile();
  const invalid = expect.objectContaining({ code: "RELEASE_RELAYS_INVALID" });
  expect(() => readRelaysFile(path)).toThrow(invalid);
  writeFileSync(path, "{secret");
  expect(() => readRelaysFile(path)).toThrow(invalid);
  expect(() => readRelaysFile(path)).not.toThrow("secret");
});
