import { expect, test } from "vitest";
import { awsLimits } from "../manager/manager-options.ts";
import { parseUpdate } from "./parse-request.ts";

test("a request that is not UTF-8 is rejected before it is parsed", () => {
  const payload = Buffer.concat([Buffer.from('{"state":{"reported":{"name":"'), Buffer.of(0xff)]);
  expect(() => parseUpdate(payload, awsLimits)).toThrow(
    expect.objectContaining({ code: "SHADOW_ENCODING_INVALID", kind: "invalid" }),
  );
});
