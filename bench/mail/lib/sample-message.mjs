/** Messages as they are sent: text of many words, or text with an attachment in base64. Stuffed, with the end. */
import { createHash } from "node:crypto";

const words = Array.from({ length: 2000 }, (_unused, at) =>
  createHash("sha1")
    .update(String(at))
    .digest("hex")
    .slice(0, 3 + (at % 8))
    .replace(/\d/g, (digit) => "etaoinshrd"[digit]),
);

export function sampleMessage(bytes, number) {
  const head = [
    "From: Sender <sender@bench.example>",
    `To: user${number % 500}@bench.example`,
    `Subject: Message number ${number} about ${words[number % words.length]}`,
    `Message-ID: <${number}@bench.example>`,
    "Date: Mon, 02 Nov 2026 10:00:00 +0000",
    "MIME-Version: 1.0",
  ];
  const text = bytes <= 64 * 1024 ? textPart(head, bytes, number) : attachment(head, bytes, number);
  return Buffer.from(`${text}.\r\n`, "latin1");
}

function textPart(head, bytes, number) {
  const lines = [...head, "Content-Type: text/plain; charset=utf-8", ""];
  let length = lines.join("\r\n").length;
  let state = number * 31;
  while (length < bytes) {
    let line = "";
    while (line.length < 68) {
      state = (state * 1103515245 + 12345) % 2147483648;
      line += `${words[state % words.length]} `;
    }
    lines.push(line.trimEnd());
    length += line.length + 1;
  }
  return `${lines.join("\r\n")}\r\n`;
}

function attachment(head, bytes, number) {
  const size = Math.floor((bytes * 57) / 78);
  const block = createHash("sha512").update(String(number)).digest();
  const content = Buffer.alloc(size);
  for (let at = 0; at < size; at += block.length) {
    createHash("sha512").update(block).update(String(at)).digest().copy(content, at);
  }
  const lines = content.toString("base64").match(/.{1,76}/g);
  const boundary = "bench-boundary";
  return [
    ...head,
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain",
    "",
    "See the attachment.",
    `--${boundary}`,
    "Content-Type: application/octet-stream",
    "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename=data.bin",
    "",
    ...lines,
    `--${boundary}--`,
    "",
  ].join("\r\n");
}
