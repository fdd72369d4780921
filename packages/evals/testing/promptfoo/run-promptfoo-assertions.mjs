// @ts-nocheck: plain JavaScript, because promptfoo loads it too.
/** Runs vectors through promptfoo's own assertions: `node run-promptfoo-assertions.mjs <promptfoo's index.js> < vectors.json`. */
import { pathToFileURL } from "node:url";

const { assertions } = await import(pathToFileURL(process.argv[2]).href);
let text = "";
for await (const chunk of process.stdin) text += chunk;
const verdicts = [];
for (const {
  assertion,
  output,
  vars = {},
  prompt = "the prompt",
  response = {},
  options = {},
  provider,
  latencyMs,
  trace,
} of JSON.parse(text)) {
  try {
    const { pass, score } = await assertions.runAssertion({
      assertion,
      prompt,
      provider: provider && { id: () => "vector", config: provider, callApi: async () => ({}) },
      test: { vars, options },
      vars,
      providerResponse: { ...response, output },
      latencyMs,
      ...(trace
        ? { traceId: "0af7651916cd43dd8448eb211c80319c", traceData: { evaluationId: "e", testCaseId: "t", ...trace } }
        : {}),
    });
    verdicts.push({ pass, score });
  } catch {
    verdicts.push({ error: true });
  }
}
process.stdout.write(`\n@@${JSON.stringify(verdicts)}\n`, () => process.exit(0));
