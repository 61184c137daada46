import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { readRulesFile, recipientRules } from "./recipient-rules.ts";

test("the first rule decides, and the mailbox simulator's addresses come last", () => {
  const rules = recipientRules([
    { to: "a@*", outcome: { kind: "complaint" } },
    { to: "*@x.example", outcome: { kind: "reject", code: 550, text: "no" } },
  ]);
  expect(rules("a@x.example")?.kind).toBe("complaint");
  expect(rules("b@x.example")?.kind).toBe("reject");
  expect(rules("bounce@simulator.amazonses.com")?.kind).toBe("bounce");
  expect(rules("complaint+label@simulator.amazonses.com")?.kind).toBe("complaint");
  expect(rules("success@simulator.amazonses.com")).toBeUndefined();
  expect(rules("ann@example.org")).toBeUndefined();
});

describe("a file of rules", () => {
  const file = (text: string) => {
    const path = `${tempFolder()}-rules.json`;
    writeFileSync(path, text);
    return path;
  };

  test("is read", () => {
    const path = file(
      JSON.stringify([
        { to: "a@*", action: "bounce", status: "4.2.2", text: "452 full" },
        { to: "b@*", action: "reject", code: 450, text: "later" },
      ]),
    );
    expect(readRulesFile(path)).toEqual([
      { to: "a@*", outcome: { kind: "bounce", status: "4.2.2", text: "smtp; 452 full" } },
      { to: "b@*", outcome: { kind: "reject", code: 450, text: "later" } },
    ]);
  });

  test.each([
    ["not JSON", undefined],
    ["{}", ""],
    ["[1]", "/0"],
    ["[[]]", "/0"],
    ['[{"to":"a","action":"explode"}]', "/0/action"],
    ['[{"action":"bounce"}]', "/0/to"],
    ['[{"to":"a","action":"complaint"},{"to":"a","action":"bounce","status":"2.0.0"}]', "/1/status"],
    ['[{"to":"a","action":"reject","code":250}]', "/0/code"],
    ['[{"to":"a","action":"reject","text":"a\\r\\nb"}]', "/0/text"],
    ['[{"to":"a","action":"bounce","when":"now"}]', "/0/when"],
  ])("is rejected: %s", (text, pointer) => {
    expect(() => readRulesFile(file(text))).toThrow(
      expect.objectContaining({
        code: "SERVER_RULES_FILE_INVALID",
        details: expect.objectContaining({ pointer }),
      }),
    );
  });
});
