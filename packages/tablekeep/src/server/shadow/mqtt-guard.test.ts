import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { newToken, parseTokens, parseUsers, tokenHash } from "../auth/secret-files.ts";
import { type MqttGuardOptions, mqttGuard } from "./mqtt-guard.ts";

const users = parseUsers(`ann:${hashSync("ann", 4)}`, "users");
const tokens = parseTokens(`lamp:${tokenHash(newToken())}`, "tokens");
const passwords = { users, check: async () => true };

/** Which users the guard lets come back: `none` stands for a client without a user. */
function returning(options: MqttGuardOptions): string[] {
  const guard = mqttGuard(options);
  return ["ann", "lamp", "gone", undefined]
    .filter((userName) => guard.accessOf({ clientId: "device", userName }) !== undefined)
    .map((userName) => userName ?? "none");
}

test("a user who can no longer sign in has no access", () => {
  expect(returning({ passwords })).toEqual(["ann"]);
  expect(returning({ tokens })).toEqual(["lamp"]);
  expect(returning({ passwords, tokens })).toEqual(["ann", "lamp"]);
});

test("with certificates, any user may have one", () => {
  expect(returning({ needsCertificate: true })).toEqual(["ann", "lamp", "gone"]);
  expect(returning({ passwords, needsCertificate: true })).toEqual(["ann", "lamp", "gone"]);
});

test("without authentication, every client has access; a user may be one of the HTTP port", () => {
  expect(returning({})).toEqual(["ann", "lamp", "gone", "none"]);
});
