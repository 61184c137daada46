/**
 * The value of a parameter in the forms of RFC 2231, as Go reads it: `name*=charset'language'value`, or in numbered pieces
 * `name*0=…; name*1*=…`; undefined if it is in neither. Gives a byte text.
 */
export function extendedParameter(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const single = parameters.get(`${name}*`);
  if (single !== undefined) return decodeExtended(single);
  let joined: string | undefined;
  for (let number = 0; ; number++) {
    const plain = parameters.get(`${name}*${number}`);
    const encoded = parameters.get(`${name}*${number}*`);
    if (plain === undefined && encoded === undefined) return joined;
    joined =
      (joined ?? "") +
      (plain ?? (number === 0 ? decodeExtended(encoded ?? "") : unescapeHex(encoded ?? "")) ?? "");
  }
}

/** Go knows two charsets. */
function decodeExtended(value: string): string | undefined {
  const [, charset = "", text] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? [];
  return text !== undefined && /^(?:us-ascii|utf-8)$/i.test(charset) ? unescapeHex(text) : undefined;
}

function unescapeHex(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
