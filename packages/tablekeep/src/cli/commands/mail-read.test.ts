import type { MailSummary } from "@tablekeep/mail";
import { expect, test } from "vitest";
import { summaryText } from "./mail-read.ts";

const id = "01m7neyvw90000f66xfw9v3bv0";
const summary = {
  id,
  created: Date.UTC(2026, 10, 17, 19, 15, 22, 633),
  envelope: { from: "shop@example.com", to: ["ann@example.org"], helo: "vm" },
  headerFrom: "",
  subject: "Your kettle is on its way",
  preview: "It works.",
} as unknown as MailSummary;

test.each([
  [
    Number.POSITIVE_INFINITY,
    `${id}  2026-11-17T19:15:22.633Z  shop@example.com -> ann@example.org  Your kettle is on its way`,
  ],
  [116, `${id}  2026-11-17T19:15:22.633Z  shop@example.com -> ann@example.org  Your kettle is on its way`],
  [115, `${id}  11-17 19:15  -> ann@example.org  Your kettle is on its way`],
  [80, `${id}  11-17 19:15  -> ann@example.o…  Your kettle is on its way`],
  [72, `${id}  11-17 19:15  Your kettle is on its way`],
  [50, `${id}  Your kettle is on its way`],
  [40, `${id}\n   11-17 19:15  Your kettle is on its way`],
  [20, `${id}\n   Your kettle is on its way`],
])("in %s columns the subject is seen", (columns, expected) => {
  expect(summaryText(summary, columns)).toBe(expected);
});

test("a message without a subject shows how it begins", () => {
  expect(summaryText({ ...summary, subject: "" }, 50)).toBe(`${id}  (no subject) It works.`);
});
