import type { Envelope, MailSearch } from "../mail.ts";
import { mailhogAddress } from "../mailhog/parse-path.ts";
import { foldCase } from "./fold-case.ts";

/**
 * Whether MailHog's memory storage finds a message by `from` or `to`: a part of an address of the envelope, or of the
 * header of this very name. A header of null is one that is not known here: then undefined, unless the envelope tells.
 */
export function matchHeaders(
  { kind, query }: Pick<MailSearch, "query"> & { readonly kind: "from" | "to" },
  envelope: Envelope,
  header: string | undefined | null,
): boolean | undefined {
  const wanted = foldCase(query);
  const paths = kind === "from" ? [envelope.from] : envelope.to;
  for (const path of paths) {
    if (foldCase(mailhogAddress(path)).includes(wanted)) return true;
  }
  if (header === null) return undefined;
  return header !== undefined && foldCase(header).includes(wanted);
}
