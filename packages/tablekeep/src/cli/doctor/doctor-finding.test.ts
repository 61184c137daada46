import { expect, test } from "vitest";
import { readDocs, sectionOf, tableRows } from "../../../test/read-docs.ts";
import { checkSpace } from "./check-folder.ts";
import { portIn } from "./check-ports.ts";
import { doctorReasons } from "./doctor-finding.ts";

test.each([
  ["http://127.0.0.1:80/", 80],
  ["smtp://[::1]:1025", 1025],
  ["https://localhost:443/mail/", 443],
  ["nonsense", undefined],
])("the port of %s is %s", (url, port) => {
  expect(portIn(url)).toBe(port);
});

test("docs/reference/cli.md lists every reason of a finding", () => {
  const section = sectionOf(readDocs("docs/reference/cli.md"), "## tablekeep doctor");
  const rows = tableRows(section.slice(section.indexOf("| check | `reason` |")));
  const listed = rows.flatMap(([, reasons = ""]) => reasons.split(", "));
  expect([...new Set(listed)].toSorted()).toEqual([...doctorReasons]);
});

test("a disk is too full below 64 MB", () => {
  const megabyte = 1024 * 1024;
  expect(checkSpace(64 * megabyte - 1)).toMatchObject({ status: "wrong", reason: "disk-full" });
  expect(checkSpace(64 * megabyte)).toMatchObject({ status: "ok", reason: "disk-has-space" });
});
