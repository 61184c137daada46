/**
 * The program of the thread that decodes messages. It replaces the decoder of charsets before it loads the parser: Node 20 decodes Windows-1252 as
 * Latin-1, and bytes that are not UTF-8 are read as Windows-1252, as lists and searches do. Longer texts keep U+FFFD, because that would take long.
 * It also extends the parser, so that it reads the types and charsets that lists and searches read.
 */
export const decodeWorkerSource: string = `
const { parentPort, workerData } = require("node:worker_threads");
const NativeDecoder = TextDecoder;
const character =
  "[\\\\xc2-\\\\xdf]T|\\\\xe0[\\\\xa0-\\\\xbf]T|[\\\\xe1-\\\\xec\\\\xee\\\\xef]TT|\\\\xed[\\\\x80-\\\\x9f]T|\\\\xf0[\\\\x90-\\\\xbf]TT|[\\\\xf1-\\\\xf3]TTT|\\\\xf4[\\\\x80-\\\\x8f]TT";
const pieces = new RegExp("(?:" + character.replaceAll("T", "[\\\\x80-\\\\xbf]") + ")+|[\\\\x80-\\\\x9f]", "g");
const western = (char) => workerData.windows1252[char.charCodeAt(0) - 0x80];
const mixed = (bytes) =>
  bytes.toString("latin1").replace(pieces, (piece) => (piece.length > 1 ? Buffer.from(piece, "latin1").toString() : western(piece)));
const bytesOf = (input) => (ArrayBuffer.isView(input) ? Buffer.from(input.buffer, input.byteOffset, input.byteLength) : Buffer.from(input));
globalThis.TextDecoder = class extends NativeDecoder {
  decode(input, options) {
    const text = super.decode(input, options);
    if (this.encoding === "windows-1252") return text.replace(/[\\x80-\\x9f]/g, western);
    const isMixed = this.encoding === "utf-8" && !options?.stream && text.includes("\\ufffd") && text.length <= 1048576;
    return isMixed ? mixed(bytesOf(input)) : text;
  }
};
const PostalMime = require(workerData.parser).default;
const MimeNode = new PostalMime().root.constructor;
/** Replaces a method by one that calls the original. */
const extend = (type, name, method) => {
  const original = type.prototype[name];
  type.prototype[name] = function (...given) {
    return method.call(this, original.bind(this), ...given);
  };
};
let charsets;
extend(MimeNode, "processHeaders", function (original) {
  original();
  const { parsed } = this.contentType;
  if (!parsed.value.includes("/")) parsed.value = "text/plain";
  if (parsed.value === "message/global") parsed.value = "message/rfc822";
});
extend(MimeNode, "finalize", async function (original) {
  await original();
  if (!this.contentType.multipart || this.childNodes.length > 0) return;
  this.contentType.multipart = false;
  this.contentType.parsed.value = "text/plain";
});
extend(MimeNode, "getTextContent", function (original) {
  const { params } = this.contentType.parsed;
  const text = this.content && charsets.decodeLegacy(new Uint8Array(this.content), params.charset ?? "");
  if (typeof text !== "string") return original();
  this.content = new TextEncoder().encode(text).buffer;
  params.charset = "utf-8";
  return original();
});
extend(MimeNode, "parseStructuredHeader", (original, value) => original(charsets.legacyWordsAsUtf8(value)));
extend(PostalMime, "buildMessage", function (original) {
  const sent = this.root.headers;
  this.root.headers = sent.map((each) => ({ ...each, value: charsets.legacyWordsAsUtf8(each.value) }));
  return { ...original(), headers: sent };
});
const addresses = (list) =>
  (list ?? []).flatMap((each) => each.group ?? [each]).map(({ name, address }) => ({ name: name ?? "", address: address ?? "" }));
const countLeaves = ({ childNodes = [] }) =>
  childNodes.length === 0 ? 1 : childNodes.reduce((sum, each) => sum + countLeaves(each), 0);
const answer = async ({ raw }) => {
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
};
import(workerData.charsets).then((loaded) => {
  charsets = loaded;
  parentPort.postMessage("ready");
  parentPort.on("message", answer);
});
`;
