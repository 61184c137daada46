import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { connectOptionChecks } from "./connect-options.ts";
import { httpPortDefaults } from "./http/http-port-options.ts";

const page = readFileSync(new URL("../../../docs/reference/connect-options.md", import.meta.url), "utf8");

/** The first cells of the tables above or below the part on the original's settings. */
const [ours = "", theirs = ""] = page.split("## Settings of akka-persistence-dynamodb");
const firstCells = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)`\s*\|/gm)].map(([, cell]) => cell as string);

describe("the page on the options of connect", () => {
  test("documents every option, and no others", () => {
    expect(firstCells(ours).toSorted()).toEqual(Object.keys(connectOptionChecks).toSorted());
  });

  test("names the defaults that the code has, and so do the options themselves", () => {
    const told = new Map(
      [...ours.matchAll(/^\| `(\w+)`\s*\|.*\|\s*([^|]+?)\s*\|$/gm)].map(([, name, value]) => [name, value]),
    );
    const options = readFileSync(new URL("./http/http-port-options.ts", import.meta.url), "utf8");
    for (const [name, value] of Object.entries(httpPortDefaults)) {
      const text = value.toLocaleString("en-US");
      expect([name, told.get(name)]).toEqual([name, text]);
      expect(options).toMatch(new RegExp(`@default ${text} \\*/\\s+readonly ${name}\\?`));
    }
  });

  test("answers every client setting of the original", () => {
    const settings = `max-connections connection-timeout socket-timeout request-timeout client-execution-timeout
      connection-ttl connection-max-idle-millis max-error-retry proxy-host proxy-port proxy-username proxy-password
      proxy-domain proxy-workstation preemptive-basic-proxy-auth protocol use-gzip use-tcp-keepalive use-expect-continue
      use-reaper local-address socket-buffer-size-hints response-metadata-cache-size signer-override user-agent`;
    expect(firstCells(theirs).toSorted()).toEqual(settings.split(/\s+/).toSorted());
  });

  test("the original's settings point to options that exist", () => {
    const rows = [...theirs.matchAll(/^\| `[^`]+`\s*\| (.*) \|$/gm)].map(([, answer]) => answer as string);
    for (const answer of rows) {
      const named = [...answer.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
      for (const name of named) expect(Object.keys(connectOptionChecks)).toContain(name);
      expect(named.length > 0 || answer.startsWith("none: ")).toBe(true);
    }
  });
});
