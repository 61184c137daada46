import { fixtures, matchers, type TestFixtures, type TestMatchers } from "tablekeep/testing";
import { test as base, expect } from "vitest";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the same parameter as in the declaration of vitest
  interface Matchers<T = any> extends TestMatchers {}
}

expect.extend(matchers);

export const test = base.extend<TestFixtures>(fixtures);
