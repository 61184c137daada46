/**
 * The least that a server can do for a durable write: reads a request, stores its bytes, and responds. It parses no more of HTTP than the length
 * of a body. Arguments: `flush` or `commit`, and a path. `flush` writes over the same place of a file and flushes once; `commit`
 * is a transaction of the engine's storage library, which flushes twice: its pages, and then the page that refers to them.
 */
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { open } from "lmdb";
import { bodyEnd } from "../sides/exchange-floor.mjs";

const [how, path] = process.argv.slice(2);
const store = how === "commit" ? committing() : flushing();
const response = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");

const server = createServer({ noDelay: true }, (socket) => {
  let received = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    if (received.length < bodyEnd(received)) return;
    store(received);
    received = Buffer.alloc(0);
    socket.write(response);
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

function flushing() {
  const file = openSync(path, "w+");
  writeSync(file, Buffer.alloc(1024 * 1024));
  return (bytes) => {
    writeSync(file, bytes, 0, bytes.length, 0);
    fdatasyncSync(file);
  };
}

function committing() {
  const database = open({
    path,
    pageSize: 8192,
    noSubdir: false,
    encoding: "binary",
    compression: false,
    overlappingSync: false,
  });
  let next = 0;
  return (bytes) => database.transactionSync(() => database.putSync(next++, bytes));
}
