/** The program of the thread that decodes messages. Node 20 decodes Windows-1252 as Latin-1; the program corrects that before it loads the parser. */
export const decodeWorkerSource: string = `
const { parentPort, workerData } = require("node:worker_threads");
const NativeDecoder = TextDecoder;
globalThis.TextDecoder = class extends NativeDecoder {
  decode(input, options) {
    const text = super.decode(input, options);
    if (this.encoding !== "windows-1252") return text;
    return text.replace(/[\\x80-\\x9f]/g, (char) => workerData.windows1252[char.charCodeAt(0) - 0x80]);
  }
};
const PostalMime = require(workerData.parser).default;
const addresses = (list) =>
  (list ?? []).flatMap((each) => each.group ?? [each]).map(({ name, address }) => ({ name: name ?? "", address: address ?? "" }));
const countLeaves = ({ childNodes = [] }) =>
  childNodes.length === 0 ? 1 : childNodes.reduce((sum, each) => sum + countLeaves(each), 0);
parentPort.on("message", async ({ raw }) => {
  try {
    const parser = new PostalMime(workerData.options);
    const mail = await parser.parse(raw);
    if (countLeaves(parser.root) > workerData.maxParts) throw new Error("it has more than " + workerData.maxParts + " parts");
    const attachments = mail.attachments.map((each, index) => ({
      index,
      filename: each.filename ?? "",
      type: (each.mimeType || "application/octet-stream").toLowerCase(),
      inline: each.disposition === "inline" || each.related === true,
      contentId: (each.contentId ?? "").replace(/^<|>$/g, ""),
      content: new Uint8Array(each.content),
    }));
    const result = {
      subject: mail.subject ?? "",
      from: addresses(mail.from && [mail.from]),
      to: addresses(mail.to),
      cc: addresses(mail.cc),
      replyTo: addresses(mail.replyTo),
      date: mail.date ?? "",
      headers: mail.headers.map(({ originalKey, key, value }) => ({ name: originalKey ?? key, value })),
      text: mail.text ?? "",
      html: mail.html ?? "",
      attachments,
    };
    parentPort.postMessage({ result }, attachments.map(({ content }) => content.buffer));
  } catch (error) {
    parentPort.postMessage({ reason: String(error?.message ?? error) });
  }
});
`;
