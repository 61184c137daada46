/** The program's DynamoDB endpoint, in a separate process. Arguments: `memory`, or the path of a folder. */
import { startDynamoDb } from "tablekeep";

const [place] = process.argv.slice(2);
const server = await startDynamoDb({ port: 0, dataFolder: place === "memory" ? undefined : place });
process.send(Number(new URL(server.endpoint).port));
process.on("disconnect", () => process.exit());
