/**
 * npm's smtp-server that keeps the bytes of every message in LMDB, and nothing else: no parsing, no index, no search. The
 * least that a durable server on this storage can do. Messages that end together are flushed together. Its only argument is a folder.
 */
import { asBinary, open } from "lmdb";
import { SMTPServer } from "smtp-server";
import { plainSmtp } from "../lib/plain-smtp.mjs";
import { report } from "../lib/report.mjs";

const [path] = process.argv.slice(2);
const database = open({ path, noSubdir: false, pageSize: 8192, encoding: "binary", overlappingSync: false });
let waiting = [];
let number = 0;

const server = new SMTPServer({
  ...plainSmtp,
  onData(stream, _session, callback) {
    const pieces = [];
    stream.on("data", (piece) => pieces.push(piece));
    stream.on("end", () => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ bytes: Buffer.concat(pieces), callback });
    });
  },
});
server.listen(0, "127.0.0.1", () => report(server.server.address().port));

function flush() {
  const together = waiting;
  waiting = [];
  database.transactionSync(() => {
    for (const { bytes } of together) database.putSync(number++, asBinary(bytes));
  });
  for (const { callback } of together) callback(null, "queued");
}
