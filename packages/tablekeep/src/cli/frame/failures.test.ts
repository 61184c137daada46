import { DynamoError } from "@tablekeep/core";
import { expect, test } from "vitest";
import { reportFailure } from "./failures.ts";

function report(error: unknown, style = { json: false, debug: false }): { code: number; text: string } {
  let text = "";
  const code = reportFailure(error, { write: (part) => (text += part) }, style);
  return { code, text };
}

const conflict = {
  exception: "ConditionalCheckFailedException",
  serviceMessage: "The conditional request failed",
};

test("the exit code follows the kind of the error", () => {
  expect(report(new DynamoError(conflict)).code).toBe(4);
  expect(report(new DynamoError({ exception: "ThrottlingException", serviceMessage: "" })).code).toBe(6);
});

test("a write that may have been applied is never reported like one that failed", () => {
  const { code, text } = report(new DynamoError({ ...conflict, ambiguous: true }));
  expect(code).toBe(11);
  expect(text).toContain("may have been applied");
  const json = report(new DynamoError({ ...conflict, ambiguous: true }), { json: true, debug: false });
  expect(JSON.parse(json.text).error.kind).toBe("unknown");
});

test("an error of another class is reported as internal, without its stack", () => {
  const { code, text } = report(new RangeError("odd\nthing"));
  expect(code).toBe(70);
  expect(text).toBe("error: internal error: odd thing (--debug shows where)\n");
});

test("any thrown value can be reported, as text and as JSON", () => {
  for (const thrown of [undefined, null, "text", 7n, Object.assign(new Error("x"), { code: "ENOENT" })]) {
    expect(report(thrown).code).toBe(70);
    const { text } = report(thrown, { json: true, debug: true });
    expect(JSON.parse(text.split("\n")[0] ?? "").error.kind).toBe("internal");
  }
});

test("binary keys and big numbers in the details do not break the JSON line", () => {
  const item = { id: { B: new Uint8Array([1, 2]) } };
  const error = new DynamoError({ ...conflict, item });
  Object.assign(error.details, { ns: 12345678901234567890n });
  const { text } = report(error, { json: true, debug: false });
  expect(JSON.parse(text).error.details.ns).toBe("12345678901234567890");
});
