import { invalidOption } from "../option-checks.ts";
import type { AccessKeys } from "./verify-signature.ts";

/** Keys that nobody could sign with would lock everyone out, or let everyone in. */
export function checkAccessKeys(accessKeys: AccessKeys | undefined): void {
  if (accessKeys === undefined) return;
  const pairs = Object.entries(accessKeys);
  if (pairs.length === 0)
    throw invalidOption("accessKeys", "it is empty; give a secret by its access key id");
  for (const [id, secret] of pairs) {
    if (!/^[\w.:-]{1,128}$/.test(id)) {
      throw invalidOption("accessKeys", "an access key id has 1 to 128 letters, digits or _ . : -");
    }
    if (typeof secret !== "string" || secret === "") {
      throw invalidOption("accessKeys", `the secret of ${id} must be a text`);
    }
  }
}
