import { createSecureContext, type SecureContext } from "node:tls";
import { invalidOption } from "./option-checks.ts";

/** A certificate with its key, both in PEM. */
export interface Certificate {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** What TLS needs of a certificate; versions below 1.2 are not spoken. */
export function secureContextOf({
  key,
  cert,
  ca,
}: Certificate & { readonly ca?: string | Buffer | undefined }): SecureContext {
  try {
    return createSecureContext({ key, cert, ca, minVersion: "TLSv1.2" });
  } catch {
    throw invalidOption("certificate", "its PEM cannot be read, or the key is another one's");
  }
}
