/** dynalite in memory, in a separate process. */
import dynalite from "dynalite";

const server = dynalite({ createTableMs: 0 });
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
