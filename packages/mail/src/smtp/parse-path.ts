/** An address in angle brackets with the parameters behind it. */
export interface SmtpPath {
  readonly address: string;
  /** By their names in capitals; a parameter without a value has an empty one. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** `FROM:` or `TO:`, an address in angle brackets, in which a quoted part may hold anything, and the rest. */
const pathPattern = /^(FROM|TO):\s*<((?:"(?:[^"\\]|\\.)*"|[^">])*)>(?:\s+(.*))?$/i;

/** Controls, and what stands for bytes that are no UTF-8. */
const forbidden = /[\p{Cc}\ufffd]/u;

/** Reads what stands behind MAIL or RCPT; undefined if it is no path. */
export function parsePath(keyword: "FROM" | "TO", text: string, addressBytes: number): SmtpPath | undefined {
  const [, found, address, rest = ""] = pathPattern.exec(text) ?? [];
  if (found?.toUpperCase() !== keyword || address === undefined) return undefined;
  if (forbidden.test(text) || Buffer.byteLength(address) > addressBytes) return undefined;
  return { address, parameters: parametersOf(rest) };
}

function parametersOf(text: string): ReadonlyMap<string, string> {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return new Map(
    words.map((word) => {
      const at = word.indexOf("=");
      return at === -1
        ? ([word.toUpperCase(), ""] as const)
        : ([word.slice(0, at).toUpperCase(), word.slice(at + 1)] as const);
    }),
  );
}
