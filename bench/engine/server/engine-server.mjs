/** An engine behind its HTTP face, in a process of its own. Arguments: `memory`, or the path of a folder. */
import { createServer } from "node:http";
import { openEngine } from "@tablekeep/engine";
import { dynamoDbHandler } from "../../../packages/tablekeep/dist/server/dynamodb/dynamodb-handler.js";

const [place] = process.argv.slice(2);
const storage = place === "memory" ? { kind: "memory" } : { kind: "folder", path: place };
const engine = await openEngine({ storage });
const handle = dynamoDbHandler({ backend: engine, now: Date.now });
const server = createServer(
  { keepAliveTimeout: 120_000 },
  (request, response) => void handle(request, response),
);
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
