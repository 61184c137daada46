import { TablekeepError } from "@tablekeep/core";
import { expect, test } from "vitest";
import { MailError, type mailErrorKinds } from "../../model/mail-error.ts";
import { storeFailureReply } from "./replies.ts";

const failure = (code: keyof typeof mailErrorKinds, ambiguous = false) =>
  storeFailureReply(new MailError(code, "", {} as never, { ambiguous })).code;

test("maps each failure of the store to a reply code", () => {
  expect(failure("MAIL_STORE_UNAVAILABLE")).toBe(451);
  expect(failure("MAIL_OUTCOME_UNKNOWN", true)).toBe(451);
  expect(failure("MAIL_CLOSED")).toBe(451);
  expect(failure("MAIL_STORE_FULL")).toBe(452);
  expect(failure("MAIL_MESSAGE_TOO_LARGE")).toBe(552);
  expect(failure("MAIL_STORE_REFUSED")).toBe(554);
});

test("never makes the client retry a permanent failure", () => {
  for (const kind of ["invalid", "not-found", "denied", "corrupt", "limit"] as const) {
    const error = new TablekeepError({ code: "X", kind, message: "", details: {} });
    expect(storeFailureReply(error).code).toBeGreaterThanOrEqual(550);
  }
  expect(storeFailureReply(new TypeError("internal")).code).toBe(554);
});

test("a message that may be stored is never reported as permanently failed", () => {
  for (const kind of ["invalid", "limit", "unavailable"] as const) {
    const error = new TablekeepError({ code: "X", kind, message: "", details: {}, ambiguous: true });
    expect(storeFailureReply(error).code).toBe(451);
  }
});
