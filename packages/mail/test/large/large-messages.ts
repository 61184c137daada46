const size = 48 * 1024 * 1024;

/** A message of about 48 MB: a head, lines up to its size, and a tail. */
function filled(head: string, line: string, tail = ""): Buffer {
  return Buffer.from(`${head}${line.repeat(Math.floor(size / Buffer.byteLength(line)))}${tail}`);
}

const multipart = "Subject: large\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";

/** Messages near the maximum size, in the most expensive shapes. Some end with the word `needle`. */
export const largeMessages: Readonly<Record<string, () => Buffer>> = {
  "lines of text": () => filled("Subject: large\r\n\r\n", "The Quick brown fox é jumps\r\n", "NEEDLE\r\n"),
  // Only 50,000 header lines are read.
  "one folded header": () =>
    filled("Subject: large\r\nX: y\r\n", ` ${"a folded line ".repeat(90)}\r\n`, " NEEDLE\r\n\r\nbody\r\n"),
  "line ends": () => filled(`${multipart}--b\r\n`, "\r\n", "NEEDLE\r\n"),
  boundaries: () => filled(multipart, "--b\r\n", "NEEDLE\r\n"),
  "quoted-printable": () =>
    filled(
      `${multipart}--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`,
      "=41=42=43=44=45=46=47=48=49=50=51=52=53=54=\r\n",
      "\r\nNEEDLE\r\n--b--\r\n",
    ),
  base64: () =>
    filled(
      `${multipart}--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
      `${"QUJD".repeat(19)}\r\n`,
      "NEEDLE\r\n--b--\r\n",
    ),
};
