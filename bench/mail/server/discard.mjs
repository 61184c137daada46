/** npm's smtp-server that throws every message away: what Node can do if it stores nothing. */
import { SMTPServer } from "smtp-server";
import { plainSmtp } from "../lib/plain-smtp.mjs";
import { report } from "../lib/report.mjs";

const server = new SMTPServer({
  ...plainSmtp,
  onData(stream, _session, callback) {
    stream.on("end", () => callback(null, "queued")).resume();
  },
});
server.listen(0, "127.0.0.1", () => report(server.server.address().port));
