import { TablekeepError } from "@tablekeep/core";

/** What goes wrong inside the testkit itself, by code. */
export interface TestkitErrorDetails {
  /** The text of a schedule cannot be read, or one of its fields has a wrong value. */
  TESTKIT_SCHEDULE_INVALID: { text: string; reason: string };
  /** An option has a wrong value. */
  TESTKIT_OPTION_INVALID: { option: string; reason: string };
}

export type TestkitErrorCode = keyof TestkitErrorDetails;

/** An error of this room: the test asked for something that cannot be done. Always of kind `invalid`. */
export class TestkitError<Code extends TestkitErrorCode = TestkitErrorCode> extends TablekeepError<
  Code,
  TestkitErrorDetails[Code]
> {
  constructor(code: Code, message: string, details: TestkitErrorDetails[Code]) {
    super({ code, kind: "invalid", message, details });
  }
}
