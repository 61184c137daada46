const pieceBytes = 64 * 1024;
const carriageReturn = 0x0d;

/** The bytes in pieces, with every CR and LF that stands alone made a CR LF: no server can take one for another end. */
export function* wholeLines(raw: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let from = 0;
  while (from < bytes.length) {
    let to = Math.min(from + pieceBytes, bytes.length);
    // A CR LF is not torn apart.
    if (to < bytes.length && bytes[to - 1] === carriageReturn) to++;
    const text = bytes.toString("latin1", from, to);
    yield Buffer.from(text.replace(/\r\n|\r|\n/g, "\r\n"), "latin1");
    from = to;
  }
}
