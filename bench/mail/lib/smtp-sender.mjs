/** A client that sends one message after the other on a connection, and waits for every reply, as most clients do. */
import { once } from "node:events";
import { connect } from "node:net";

export async function smtpSender(port) {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let heard = "";
  let wake = () => {};
  let failure;
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
    wake();
  });
  for (const event of ["error", "close"]) {
    socket.on(event, (error) => {
      failure ??= new Error(`the connection ended: ${error?.message ?? event}`);
      wake();
    });
  }
  /** Resolves to the next whole reply; rejects unless it has this code. */
  const reply = async (code) => {
    let found = /^\d{3} [^\n]*\n/m.exec(heard);
    while (found === null) {
      if (failure) throw failure;
      await new Promise((resolve) => {
        wake = resolve;
      });
      found = /^\d{3} [^\n]*\n/m.exec(heard);
    }
    heard = heard.slice(found.index + found[0].length);
    if (!found[0].startsWith(code)) throw new Error(`the server said ${found[0]}`);
    return found[0];
  };
  const say = (text, code) => {
    socket.write(text);
    return reply(code);
  };
  await once(socket, "connect");
  await reply("220");
  await say("EHLO bench.example\r\n", "250");
  return {
    async send(to, data) {
      await say("MAIL FROM:<sender@bench.example>\r\n", "250");
      await say(`RCPT TO:<${to}>\r\n`, "250");
      await say("DATA\r\n", "354");
      socket.write(data);
      return reply("250");
    },
    close: () => socket.destroy(),
  };
}
