/** A code worker for tests, started without the command line. */
import { runCodeWorker } from "@devflow/evals/code";

await runCodeWorker(process.stdin);
process.exit(0);
