/** The Temporal engine in a process of its own, against the server that the cell names; see engine-process.ts. */
import { temporalTestDriver } from "@devflow/worker/testing";
import { driveCell } from "./engine-process.ts";

await driveCell(async (context, { temporal }) => {
  if (!temporal) throw new Error("the cell names no Temporal server");
  return (await temporalTestDriver(temporal)).create(context);
});
