/** The inline engine in a process of its own; see engine-process.ts. */
import { createInlineDriver } from "@devflow/runs/testing";
import { driveCell } from "./engine-process.ts";

await driveCell((context) => createInlineDriver(context));
