import { createHash } from "node:crypto";

/** A short text that tells commands apart: 16 bytes of the SHA-256 of the command's canonical JSON. */
export function fingerprint(command: unknown): string {
  return createHash("sha256").update(canonical(command)).digest().subarray(0, 16).toString("base64url");
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === "bigint") return `${inner}n`;
      // JSON has no word for these, and all of a kind would look the same.
      if (typeof inner === "number" && !Number.isFinite(inner)) return { number: String(inner) };
      if (inner instanceof Map) return { map: [...inner] };
      if (inner instanceof Set) return { set: [...inner] };
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
}
