import { describe, expect, test } from "vitest";
import { serverUrl } from "./check-options.ts";

describe("serverUrl", () => {
  const check = serverUrl({ credentials: false });
  test.each(["http://127.0.0.1:8000", "https://host/path"])("%s fits", (url) => {
    expect(check(url)).toBeUndefined();
  });
  test.each(["", "localhost:8000", "ftp://host", "http://h?x=1", "http://h#x", "http://user@h", 5])(
    "%s does not",
    (url) => {
      expect(check(url)).toMatch(/^must/);
    },
  );
});
